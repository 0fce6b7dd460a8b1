-- name: load_saga_steps
-- For each event the latest call of each of its steps in its latest run, with how often it was made. $1 event ids,
-- $2 results of one event to look at
select distinct on (looked.event_id, looked.destination)
       looked.event_id, looked.destination, looked.fanout_order, looked.outcome, looked.response_status,
       count(*) over (partition by looked.event_id, looked.destination) as attempts,
       looked.duration_ms,
       (extract(epoch from looked.published_at) * 1000000)::bigint as published_us,
       left(looked.error_message, 300) as error, looked.cause_event_id
from unnest($1::bigint[]) as wanted (id)
join outbox_events e on e.id = wanted.id
cross join lateral (
    select r.id, r.event_id, r.destination, r.fanout_order, r.outcome, r.response_status, r.duration_ms,
           r.published_at, r.error_message, r.cause_event_id
    from aggregate_results r
    where r.event_id = wanted.id and r.run = e.run
    order by r.id desc
    limit $2::bigint
) looked
order by looked.event_id, looked.destination, looked.id desc
