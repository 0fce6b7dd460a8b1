-- name: summarize_calls
-- How the destinations answered lately, from the latest results. $1 results to look at, $2 seconds to look back, $3 seconds
-- of one slot
--
-- One row for each destination and slot, and one for each destination as a whole, where the slot is null. The first two
-- columns, the same in every row, are PostgreSQL's clock and where the look began. A row is there even without any call.
with latest as materialized (
    select r.destination, r.outcome, r.duration_ms, r.published_at
    from aggregate_results r
    where r.id < 9223372036854775807
    order by r.id desc
    limit $1::bigint
),
bounds as (
    select greatest(now() - make_interval(secs => $2::int),
                    case when count(*) = $1::bigint then min(l.published_at) end) as since
    from latest l
),
calls as materialized (
    select l.destination, l.outcome, l.duration_ms,
           (floor(extract(epoch from l.published_at) / $3::int) * $3::int)::bigint as slot
    from latest l
    cross join bounds b
    where l.published_at >= b.since and l.outcome <> 'skipped'
),
figures as (
    select c.destination, c.slot, count(*) as calls,
           count(*) filter (where c.outcome = 'succeeded') as succeeded,
           count(*) filter (where c.outcome = 'rejected') as rejected,
           count(*) filter (where c.outcome = 'unknown') as unknown,
           percentile_disc(0.5) within group (order by c.duration_ms) as p50,
           percentile_disc(0.95) within group (order by c.duration_ms) as p95,
           max(c.duration_ms) as slowest
    from calls c
    group by grouping sets ((c.destination, c.slot), (c.destination))
)
select (extract(epoch from now()) * 1000000)::bigint as now_us,
       (extract(epoch from b.since) * 1000000)::bigint as since_us,
       f.destination, f.slot, f.calls, f.succeeded, f.rejected, f.unknown, f.p50, f.p95, f.slowest
from bounds b
left join figures f on true
order by f.destination, f.slot nulls first
