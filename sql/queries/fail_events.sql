-- name: fail_events
-- Ends cancels that can't go on, each with a letter for a person. $1 owner, $2 ids, $3 claim numbers, $4 reasons, $5 why, $6 retries
with settled as (
    update outbox_events e
    set status = 'FAILED', status_changed_at = now(), lease_owner = null, lease_expires_at = null,
        retry_count = ($6::int[])[array_position($2::bigint[], e.id)],
        last_error = ($5::text[])[array_position($2::bigint[], e.id)]
    where e.id = any ($2::bigint[])
      and e.claim_no = ($3::int[])[array_position($2::bigint[], e.id)]
      and e.lease_owner = $1::text
      and e.status = 'PROCESSING'
    returning e.id, e.aggregate_id, e.event_type, e.payloads, e.created_at, e.retry_count, e.last_error
)
insert into dead_letter_events (original_event_id, aggregate_id, event_type, payloads, created_at,
                                retry_count, last_error, revert_error, reason, status)
select s.id, s.aggregate_id, s.event_type, s.payloads, s.created_at, s.retry_count, s.last_error, s.last_error,
       ($4::text[])[array_position($2::bigint[], s.id)], 'FAILED'
from settled s
returning original_event_id, id
