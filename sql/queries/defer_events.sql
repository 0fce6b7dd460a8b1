-- name: defer_events
-- Gives events back until their next try is due, by PostgreSQL's clock.
-- $1 owner, $2 ids, $3 claim numbers, $4 delays in microseconds, $5 retries so far, $6 why
update outbox_events e
set status = 'PENDING', status_changed_at = now(), lease_owner = null, lease_expires_at = null,
    next_retry_at = now() + ($4::bigint[])[array_position($2::bigint[], e.id)] * interval '1 microsecond',
    retry_count = ($5::int[])[array_position($2::bigint[], e.id)],
    last_error = ($6::text[])[array_position($2::bigint[], e.id)]
where e.id = any ($2::bigint[])
  and e.claim_no = ($3::int[])[array_position($2::bigint[], e.id)]
  and e.lease_owner = $1::text
  and e.status = 'PROCESSING'
returning e.id
