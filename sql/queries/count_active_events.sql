-- name: count_active_events
-- Events that wait or are worked on, by status and type, from a bounded look at each index. $1 rows to look at of each
-- kind. The first column, the same in every row, says whether the look came to the end of both.
with looked as materialized (
    (select e.id from outbox_events e
     where e.active and e.next_retry_at is null order by e.id limit $1::bigint)
    union all
    (select e.id from outbox_events e
     where e.active and e.next_retry_at is not null order by e.next_retry_at limit $1::bigint)
),
counted as materialized (
    select e.status, e.event_type, (e.next_retry_at is null) as ready, count(*) as events
    from looked l
    join outbox_events e on e.id = l.id
    where e.active
    group by e.status, e.event_type, (e.next_retry_at is null)
),
bounds as (
    select coalesce(sum(c.events) filter (where c.ready), 0) < $1::bigint
           and coalesce(sum(c.events) filter (where not c.ready), 0) < $1::bigint as exact
    from counted c
)
select b.exact, c.status, c.event_type, sum(c.events)::bigint as events
from bounds b
left join counted c on true
group by b.exact, c.status, c.event_type
order by c.status, c.event_type
