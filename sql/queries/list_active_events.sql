-- name: list_active_events
-- A page of events that wait or are worked on, newest first, however many have ended since.
-- $1 ids below this, $2 how many, $3 rows to look at of each kind, $4 status, $5 type or null
--
-- Those that wait for a moment are indexed by it and not by id: more of them than may be looked at, and the look gives
-- up. Columns as those of list_events, so that one reader serves both.
with waiting as materialized (
    select e.id
    from outbox_events e
    where e.active and e.next_retry_at is not null
    order by e.next_retry_at
    limit $3::bigint + 1
),
ready as materialized (
    select e.id
    from outbox_events e
    where e.active and e.next_retry_at is null and e.id < $1::bigint
    order by e.id desc
    limit $3::bigint
),
scan as materialized (
    select (select case when count(*) = $3::bigint then min(r.id) end from ready r) as stopped_at,
           (select count(*) > $3::bigint from waiting) as overflow
)
select s.stopped_at, s.overflow,
       m.id, m.aggregate_id, m.event_type, m.status, m.created_us, m.changed_us, m.retry_count, m.due_us,
       m.last_error, m.moved_to_dlq, m.run
from scan s
left join lateral (
    select e.id, e.aggregate_id, e.event_type, e.status,
           (extract(epoch from e.created_at) * 1000000)::bigint as created_us,
           (extract(epoch from e.status_changed_at) * 1000000)::bigint as changed_us,
           e.retry_count,
           case when isfinite(e.next_retry_at) then (extract(epoch from e.next_retry_at) * 1000000)::bigint end as due_us,
           e.last_error, e.moved_to_dlq, e.run
    from (
        select r.id from ready r
        union all
        select w.id from waiting w
        where w.id < $1::bigint and not s.overflow and w.id >= coalesce(s.stopped_at, 0)
    ) l
    join outbox_events e on e.id = l.id
    where e.status = $4::text
      and ($5::text is null or e.event_type = $5::text)
    order by l.id desc
    limit $2::bigint
) m on true
order by m.id desc
