-- name: load_story
-- The latest events of an aggregate, oldest first, each with its latest dead letter.
-- $1 aggregate, $2 how many
select e.id, e.aggregate_id, e.event_type, e.payloads, e.event_uuid, e.traceparent,
       (extract(epoch from e.created_at) * 1000000)::bigint as created_us,
       e.status, e.retry_count, e.run, e.deaths,
       e.last_error, e.moved_to_dlq,
       d.id, d.status, d.reason, d.last_error, d.retry_count, d.revert_error, d.revert_retry_count
from (
    select p.id from (
        (select id from outbox_events where active and aggregate_id = $1
         order by id desc limit $2::bigint)
        union all
        (select id from outbox_events where not active and aggregate_id = $1
         order by id desc limit $2::bigint)
    ) p
    order by p.id desc
    limit $2::bigint
) latest
join outbox_events e on e.id = latest.id
left join lateral (
    select l.id, l.status, l.reason, l.last_error, l.retry_count, l.revert_error, l.revert_retry_count
    from dead_letter_events l
    where l.original_event_id = e.id
    order by l.id desc
    limit 1
) d on true
order by e.id
