-- name: audit_stray_letters
-- Dead letters of events that do not exist, among the next letters above an id; and the last id looked at, in the row
-- without an event. $1 above this id, $2 how many to look at, $3 of events above this id
with looked_at as materialized (
    select id, original_event_id, aggregate_id
    from dead_letter_events
    where id > $1::bigint
    order by id
    limit $2::int
)
select null::bigint as event_id, null::text as aggregate_id, max(l.id) as last, count(*) as letters
from looked_at l
union all
select l.original_event_id, l.aggregate_id, l.id, 1
from looked_at l
where l.original_event_id > $3::bigint
  and (select e.id from outbox_events e where e.id = l.original_event_id) is null
order by 1 nulls first, 3
