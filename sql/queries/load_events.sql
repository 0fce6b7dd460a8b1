-- name: load_events
-- Events by id, with the status of the latest dead letter of each.
-- $1 ids
select e.id, e.aggregate_id, e.event_type, e.payloads, e.event_uuid, e.traceparent,
       (extract(epoch from e.created_at) * 1000000)::bigint as created_us,
       e.status, e.retry_count, e.run, e.deaths, e.forgiven_up_to,
       (select d.status from dead_letter_events d where d.original_event_id = e.id
        order by d.id desc limit 1) as letter_status
from outbox_events e
where e.id = any ($1::bigint[])
order by e.id
