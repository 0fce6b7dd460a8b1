-- name: get_event
-- One event as a person reads it, with PostgreSQL's clock. $1 id
select e.id, e.aggregate_id, e.event_type, e.status,
       (extract(epoch from e.created_at) * 1000000)::bigint as created_us,
       (extract(epoch from e.status_changed_at) * 1000000)::bigint as changed_us,
       e.retry_count,
       case when isfinite(e.next_retry_at) then (extract(epoch from e.next_retry_at) * 1000000)::bigint end as due_us,
       e.last_error, e.moved_to_dlq, e.run,
       e.idempotency_key, e.event_uuid, e.lease_owner,
       (extract(epoch from e.lease_expires_at) * 1000000)::bigint as lease_us,
       e.deaths,
       (extract(epoch from now()) * 1000000)::bigint as now_us,
       e.email_id
from outbox_events e
where e.id = $1::bigint
