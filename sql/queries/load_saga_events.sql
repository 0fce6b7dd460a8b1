-- name: load_saga_events
-- Events by their ids, as a list of sagas shows them, newest first, with PostgreSQL's clock. $1 event ids
select e.id, e.aggregate_id, e.event_type, e.status,
       (extract(epoch from e.created_at) * 1000000)::bigint as created_us,
       (extract(epoch from e.status_changed_at) * 1000000)::bigint as changed_us,
       e.retry_count,
       case when isfinite(e.next_retry_at) then (extract(epoch from e.next_retry_at) * 1000000)::bigint end as due_us,
       e.last_error, e.moved_to_dlq, e.run,
       (extract(epoch from now()) * 1000000)::bigint as now_us
from outbox_events e
where e.id = any ($1::bigint[])
order by e.id desc
