-- name: audit_stray_results
-- Results of events that do not exist, among the next results above an id, by event; and the last id looked at, in the
-- row without an event. $1 above this id, $2 how many to look at, $3 of events above this id
with looked_at as materialized (
    select id, event_id, aggregate_id
    from aggregate_results
    where id > $1::bigint
    order by id
    limit $2::int
)
select null::bigint as event_id, null::text as aggregate_id, max(l.id) as last, count(*) as results
from looked_at l
union all
select l.event_id, min(l.aggregate_id), max(l.id), count(*)
from looked_at l
where l.event_id > $3::bigint
  and (select e.id from outbox_events e where e.id = l.event_id) is null
group by l.event_id
order by 1 nulls first
