-- name: finish_letters
-- Ends letters whose event is undone. $1 owner, $2 ids, $3 claim numbers
update dead_letter_events d
set status = 'PROCESSED', status_changed_at = now(), lease_owner = null, lease_expires_at = null,
    revert_error = null
where d.id = any ($2::bigint[])
  and d.claim_no = ($3::int[])[array_position($2::bigint[], d.id)]
  and d.lease_owner = $1::text
  and d.status = 'PROCESSING'
returning d.id
