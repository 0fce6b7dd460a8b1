-- name: defer_letters
-- Gives letters back until their next try is due. $1 owner, $2 ids, $3 claim numbers, $4 delays in microseconds, $5 retries so far, $6 why
update dead_letter_events d
set status = 'PENDING', status_changed_at = now(), lease_owner = null, lease_expires_at = null,
    next_retry_at = now() + ($4::bigint[])[array_position($2::bigint[], d.id)] * interval '1 microsecond',
    revert_retry_count = ($5::int[])[array_position($2::bigint[], d.id)],
    revert_error = ($6::text[])[array_position($2::bigint[], d.id)]
where d.id = any ($2::bigint[])
  and d.claim_no = ($3::int[])[array_position($2::bigint[], d.id)]
  and d.lease_owner = $1::text
  and d.status = 'PROCESSING'
returning d.id
