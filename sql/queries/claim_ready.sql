-- name: claim_ready
-- Takes ready events above an id, oldest first, at most one per aggregate, with a lease.
-- $1 owner, $2 limit, $3 above this id, $4 rows to look at, $5 lease in ms, $6 take expired leases too
--
-- The window bounds the work whatever stands in the queue; the heads of its aggregates are picked before
-- each is checked, so that a backlog of one aggregate hides no other. Look-ups are correlated subqueries on
-- purpose: they keep their index conditions when planned on an empty table, and joins do not.
-- They compare (aggregate_id, id) as rows, from both sides: given an equality, the planner strikes the aggregate from the
-- order, and may then walk the primary key and read every finished event that there ever was.
-- An event that waits for `not_before` and was never begun holds up nobody; a cancel overtakes the waiting
-- events that it cancels. So where the first of an aggregate waits for its twin's retry, the cancel of both stands for it,
-- or it would not be looked at before that retry. One that was committed late, or whose time came late, waits for its twin that has begun: two
-- that undo the same steps side by side would send each revert twice.
with looked_at as materialized (
    select id, aggregate_id, event_type, status, lease_expires_at
    from outbox_events
    where active and next_retry_at is null and id > $3::bigint
    order by id
    limit $4::int
),
firsts as materialized (
    select distinct on (aggregate_id collate "C") id, aggregate_id, event_type, status, lease_expires_at
    from looked_at
    order by aggregate_id collate "C", id
),
heads as materialized (
    select coalesce(c.id, f.id) as id, f.aggregate_id,
           coalesce(c.event_type, f.event_type) as event_type, coalesce(c.status, f.status) as status,
           case when c.id is null then f.lease_expires_at else c.lease_expires_at end as lease_expires_at
    from firsts f
    left join lateral (
        select l.id, l.event_type, l.status, l.lease_expires_at
        from looked_at l
        where '!' || f.event_type = any (array(select event_type from looked_at where left(event_type, 1) = '!'))
          and (select p.id from outbox_events p
               where p.active and (p.aggregate_id, p.id) >= (f.aggregate_id, 0)
                 and (p.aggregate_id, p.id) < (f.aggregate_id, f.id) and p.event_type = f.event_type
                 and p.status = 'PENDING' and p.claim_no > 0 and p.next_retry_at > now()
               order by p.aggregate_id, p.id limit 1) is not null
          and l.aggregate_id = f.aggregate_id and l.event_type = '!' || f.event_type and l.id > f.id
        order by l.id
        limit 1
    ) c on true
),
candidates as materialized (
    select h.id
    from heads h
    where (h.status = 'PENDING'
           or ($6::bool and coalesce(h.lease_expires_at, '-infinity') < now()))
      and (select p.id from outbox_events p
           where p.active and (p.aggregate_id, p.id) >= (h.aggregate_id, 0)
             and (p.aggregate_id, p.id) < (h.aggregate_id, h.id)
             and not (p.claim_no = 0 and p.next_retry_at is not null and p.next_retry_at > now())
             and not (p.status = 'PENDING' and h.event_type = '!' || p.event_type)
           order by p.aggregate_id, p.id limit 1) is null
      and (select d.id from dead_letter_events d
           where d.active and (d.aggregate_id, d.original_event_id) >= (h.aggregate_id, 0)
             and (d.aggregate_id, d.original_event_id) < (h.aggregate_id, h.id)
           order by d.aggregate_id, d.original_event_id limit 1) is null
      and (left(h.event_type, 1) <> '!'
           or (select p.id from outbox_events p
               where p.active and (p.aggregate_id, p.id) > (h.aggregate_id, h.id)
                 and (p.aggregate_id, p.id) <= (h.aggregate_id, 9223372036854775807)
                 and p.event_type = h.event_type and p.status = 'PROCESSING' and p.lease_expires_at >= now()
               order by p.aggregate_id, p.id limit 1) is null)
    order by h.id
    limit $2::int
),
locked as materialized (
    select e.id
    from outbox_events e
    where e.id = any (array(select id from candidates))
      and (e.status = 'PENDING'
           or ($6::bool and e.status = 'PROCESSING'
               and coalesce(e.lease_expires_at, '-infinity') < now()))
    order by e.id
    for no key update skip locked
),
claimed as (
    update outbox_events e
    set status = 'PROCESSING',
        status_changed_at = now(),
        lease_owner = $1::text,
        lease_expires_at = now() + $5::bigint * interval '1 millisecond',
        claim_no = e.claim_no + 1,
        deaths = e.deaths + (e.status = 'PROCESSING')::int
    where e.id = any (array(select id from locked))
    returning e.id, e.claim_no, e.aggregate_id, e.event_type, e.payloads, e.event_uuid, e.traceparent, e.created_at,
              e.retry_count, e.run, e.deaths, e.forgiven_up_to
)
select s.highest, s.seen, s.lowest, s.candidates, s.last_candidate,
       (extract(epoch from now()) * 1000000)::bigint as now_us,
       c.id, c.claim_no, c.aggregate_id, c.event_type, c.payloads, c.event_uuid, c.traceparent,
       (extract(epoch from c.created_at) * 1000000)::bigint as created_us,
       c.retry_count, c.run, c.deaths, c.forgiven_up_to,
       (select x.id from outbox_events x
        where x.active and x.event_type like '!%' and x.aggregate_id = c.aggregate_id
          and x.event_type = '!' || c.event_type and x.id > c.id
        limit 1) is not null as cancel_waiting,
       pg_snapshot_xmin(pg_current_snapshot())::text as oldest_running,
       pg_snapshot_xmax(pg_current_snapshot())::text as next_to_run
from (
    select max(id) as highest, min(id) as lowest, count(*) as seen,
           (select count(*) from candidates) as candidates,
           (select max(id) from candidates) as last_candidate
    from looked_at
) s
left join claimed c on true
