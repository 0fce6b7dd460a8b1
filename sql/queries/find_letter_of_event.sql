-- name: find_letter_of_event
-- The latest dead letter of an event. $1 event id
select d.id, d.original_event_id, d.aggregate_id, d.event_type, d.reason, d.status,
       (extract(epoch from d.created_at) * 1000000)::bigint as created_us,
       (extract(epoch from d.failed_at) * 1000000)::bigint as failed_us,
       (extract(epoch from d.status_changed_at) * 1000000)::bigint as changed_us,
       d.retry_count, d.last_error, d.revert_retry_count, d.revert_error,
       case when isfinite(d.next_retry_at) then (extract(epoch from d.next_retry_at) * 1000000)::bigint end as due_us,
       d.resolution_note, d.resolved_by,
       (extract(epoch from d.resolved_at) * 1000000)::bigint as resolved_us
from dead_letter_events d
where d.original_event_id = $1::bigint
order by d.id desc
limit 1
