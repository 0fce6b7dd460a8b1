-- name: find_cancel_targets
-- The events that a cancel undoes: those of its aggregate, of the type that it names, that came before it.
-- $1 the cancel's id
select t.id
from outbox_events c
cross join lateral (
    select p.id from outbox_events p
    where p.active and (p.aggregate_id, p.id) >= (c.aggregate_id, 0)
      and (p.aggregate_id, p.id) < (c.aggregate_id, c.id)
      and c.event_type = '!' || p.event_type
    union all
    select p.id from outbox_events p
    where not p.active and (p.aggregate_id, p.id) >= (c.aggregate_id, 0)
      and (p.aggregate_id, p.id) < (c.aggregate_id, c.id)
      and c.event_type = '!' || p.event_type
) t
where c.id = $1::bigint
order by t.id
