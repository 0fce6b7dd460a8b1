-- name: find_changes
-- What came or changed since the last look: new events, events with new results, new letters, and those that were still
-- open then. $1 last event, $2 last result, $3 last letter, $4 open events, $5 open letters, $6 rows of each kind
--
-- Columns: kind, id, its own id for the next look, a mark that changes with its state, whether it is still open, and
-- the e-mail of an event that has one.
with ids as materialized (
    (select 'event' as kind, e.id, e.id as seen from outbox_events e
     where e.id > $1::bigint order by e.id limit $6::bigint)
    union all
    (select 'result', r.event_id, r.id from aggregate_results r
     where r.id > $2::bigint order by r.id limit $6::bigint)
    union all
    (select 'letter', d.id, d.id from dead_letter_events d
     where d.id > $3::bigint order by d.id limit $6::bigint)
    union all
    select 'open event', o.id, 0 from unnest($4::bigint[]) as o (id)
    union all
    select 'open letter', o.id, 0 from unnest($5::bigint[]) as o (id)
)
select i.kind, i.id, i.seen,
       coalesce(e.status || ' ' || e.run || ' ' || e.status_changed_at,
                d.status || ' ' || d.status_changed_at, '') as mark,
       coalesce(e.active, d.status in ('PENDING', 'PROCESSING', 'FAILED'), false) as open,
       e.email_id
from ids i
left join lateral (
    select x.status, x.run, x.status_changed_at, x.active, x.email_id from outbox_events x
    where x.id = i.id and i.kind in ('event', 'result', 'open event')
) e on true
left join lateral (
    select x.status, x.status_changed_at from dead_letter_events x
    where x.id = i.id and i.kind in ('letter', 'open letter')
) d on true
