-- name: list_events
-- A page of events, newest first, from a bounded look at the latest ids.
-- $1 ids below this, $2 how many, $3 rows to look at, $4 status or null, $5 type or null
--
-- The first two columns stand in every row, and in one row of nulls where nothing matches: where the look stopped
-- before the end of the table, and whether it gave up.
with looked as materialized (
    select e.id
    from outbox_events e
    where e.id < $1::bigint
    order by e.id desc
    limit $3::bigint
)
select s.stopped_at, false as overflow,
       m.id, m.aggregate_id, m.event_type, m.status, m.created_us, m.changed_us, m.retry_count, m.due_us,
       m.last_error, m.moved_to_dlq, m.run
from (select case when count(*) = $3::bigint then min(l.id) end as stopped_at from looked l) s
left join lateral (
    select e.id, e.aggregate_id, e.event_type, e.status,
           (extract(epoch from e.created_at) * 1000000)::bigint as created_us,
           (extract(epoch from e.status_changed_at) * 1000000)::bigint as changed_us,
           e.retry_count,
           case when isfinite(e.next_retry_at) then (extract(epoch from e.next_retry_at) * 1000000)::bigint end as due_us,
           e.last_error, e.moved_to_dlq, e.run
    from looked l
    join outbox_events e on e.id = l.id
    where ($4::text is null or e.status = $4::text)
      and ($5::text is null or e.event_type = $5::text)
    order by l.id desc
    limit $2::bigint
) m on true
order by m.id desc
