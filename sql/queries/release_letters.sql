-- name: release_letters
-- Hands letters back at once, untouched: the relay stops. $1 owner, $2 ids, $3 claim numbers
update dead_letter_events d
set status = 'PENDING', status_changed_at = now(), lease_owner = null, lease_expires_at = null
where d.id = any ($2::bigint[])
  and d.claim_no = ($3::int[])[array_position($2::bigint[], d.id)]
  and d.lease_owner = $1::text
  and d.status = 'PROCESSING'
returning d.id
