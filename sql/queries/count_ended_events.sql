-- name: count_ended_events
-- Events that have ended, by status and type, among the latest. $1 rows to look at. The first columns are the same in
-- every row: whether these are all that there are, and an estimate of the rows of the whole table.
with looked as materialized (
    select e.id, e.status, e.event_type, e.active
    from outbox_events e
    where e.id < 9223372036854775807
    order by e.id desc
    limit $1::bigint
),
counted as materialized (
    select l.status, l.event_type, count(*) as events
    from looked l
    where not l.active
    group by l.status, l.event_type
)
select (select count(*) from looked) < $1::bigint as exact,
       (select greatest(c.reltuples, 0)::bigint from pg_class c where c.oid = to_regclass('outbox_events')) as estimated,
       c.status, c.event_type, c.events
from (select 1) one
left join counted c on true
order by c.status, c.event_type
