-- name: fail_letters
-- Leaves letters to a person. $1 owner, $2 ids, $3 claim numbers, $4 retries, $5 why
update dead_letter_events d
set status = 'FAILED', status_changed_at = now(), lease_owner = null, lease_expires_at = null,
    revert_retry_count = ($4::int[])[array_position($2::bigint[], d.id)],
    revert_error = ($5::text[])[array_position($2::bigint[], d.id)]
where d.id = any ($2::bigint[])
  and d.claim_no = ($3::int[])[array_position($2::bigint[], d.id)]
  and d.lease_owner = $1::text
  and d.status = 'PROCESSING'
returning d.id
