-- name: audit_events
-- Events by id with all that an audit looks at; the first columns are those of load_events. $1 ids
select e.id, e.aggregate_id, e.event_type, e.payloads, e.event_uuid, e.traceparent,
       (extract(epoch from e.created_at) * 1000000)::bigint as created_us,
       e.status, e.retry_count, e.run, e.deaths,
       e.moved_to_dlq, e.forgiven_up_to, e.next_retry_at is not null as has_retry_time,
       e.lease_owner is not null as owned,
       case when e.lease_expires_at is not null then
           (extract(epoch from greatest('1970-01-01Z', least(e.lease_expires_at, '9999-01-01Z'))) * 1000000)::bigint
       end as expires_us,
       (extract(epoch from greatest('1970-01-01Z', least(e.status_changed_at, '9999-01-01Z'))) * 1000000)::bigint
           as changed_us,
       (select o.id from outbox_events o
        where o.active and o.idempotency_key is not null and o.idempotency_key = e.idempotency_key and o.id <> e.id
        limit 1) is not null and e.active as key_taken_twice,
       (extract(epoch from now()) * 1000000)::bigint as now_us
from outbox_events e
where e.id = any ($1::bigint[])
order by e.id
