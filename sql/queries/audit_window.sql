-- name: audit_window
-- The next events that an audit judges, and before them the latest of each of their aggregates, by which it judges:
-- what came right before, and what a cancel undid. $1 above this id, $2 how many to judge, $3 how many before the first
-- of each aggregate, $4 the same where a cancel is among them
with judged as materialized (
    select id, aggregate_id, event_type
    from outbox_events
    where id > $1::bigint
    order by id
    limit $2::int
),
firsts as materialized (
    select aggregate_id, min(id) as id,
           case when bool_or(left(event_type, 1) = '!') then $4::int else $3::int end as most
    from judged
    group by aggregate_id
)
select j.id
from judged j
union all
select earlier.id
from firsts f
cross join lateral (
    select p.id from (
        (select id from outbox_events where active and aggregate_id = f.aggregate_id and id < f.id
         order by id desc limit f.most)
        union all
        (select id from outbox_events where not active and aggregate_id = f.aggregate_id and id < f.id
         order by id desc limit f.most)
    ) p
    order by p.id desc
    limit f.most
) earlier
order by 1
