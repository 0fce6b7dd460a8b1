-- name: claim_heads
-- Takes the first event of each aggregate whose work has just ended, so that a queue of one aggregate moves on
-- at once. $1 owner, $2 aggregates, $3 lease in ms
--
-- Who waits for a retry, its own or its twin's, and is to be cancelled is passed over, which only the cancel may profit
-- from: hence the second look at what comes before.
--
-- Must run after the transaction that ended that work has committed: within it, an event that arrives meanwhile is
-- seen blocked by claim_ready, and not yet seen by us.
with locked as materialized (
    select e.id
    from outbox_events e
    where e.id = any (array(
        select h.id
        from unnest($2::text[]) a
        cross join lateral (
            select p.id, p.status, p.next_retry_at, p.event_type
            from outbox_events p
            where p.active and p.aggregate_id = a
              and not (p.claim_no = 0 and p.next_retry_at is not null and p.next_retry_at > now())
              and not (p.status = 'PENDING'
                       and (select x.id from outbox_events x
                            where x.active and x.event_type like '!%' and x.aggregate_id = a
                              and x.event_type = '!' || p.event_type and x.id > p.id
                            limit 1) is not null
                       and (coalesce(p.next_retry_at, '-infinity') > now()
                            or (select w.id from outbox_events w
                                where w.active and (w.aggregate_id, w.id) >= (a, 0)
                                  and (w.aggregate_id, w.id) < (a, p.id) and w.event_type = p.event_type
                                  and w.status = 'PENDING' and w.claim_no > 0 and w.next_retry_at > now()
                                order by w.aggregate_id, w.id limit 1) is not null))
            order by p.aggregate_id, p.id
            limit 1
        ) h
        where h.status = 'PENDING'
          and (h.next_retry_at is null or h.next_retry_at <= now())
          and (select d.id from dead_letter_events d
               where d.active and (d.aggregate_id, d.original_event_id) >= (a, 0)
                 and (d.aggregate_id, d.original_event_id) < (a, h.id)
               order by d.aggregate_id, d.original_event_id limit 1) is null
          and (select p.id from outbox_events p
               where p.active and (p.aggregate_id, p.id) >= (a, 0)
                 and (p.aggregate_id, p.id) < (a, h.id)
                 and not (p.claim_no = 0 and p.next_retry_at is not null and p.next_retry_at > now())
                 and not (p.status = 'PENDING' and h.event_type = '!' || p.event_type)
               order by p.aggregate_id, p.id limit 1) is null
          -- Apart from the look above, and only for a cancel: it reads all that the aggregate has waiting.
          and (left(h.event_type, 1) <> '!'
               or (select p.id from outbox_events p
                   where p.active and (p.aggregate_id, p.id) > (a, h.id)
                     and (p.aggregate_id, p.id) <= (a, 9223372036854775807)
                     and p.event_type = h.event_type and p.status = 'PROCESSING' and p.lease_expires_at >= now()
                   order by p.aggregate_id, p.id limit 1) is null)
    ))
      and e.status = 'PENDING'
    order by e.id
    for no key update skip locked
),
claimed as (
    update outbox_events e
    set status = 'PROCESSING',
        status_changed_at = now(),
        lease_owner = $1::text,
        lease_expires_at = now() + $3::bigint * interval '1 millisecond',
        claim_no = e.claim_no + 1,
        next_retry_at = null
    where e.id = any (array(select id from locked))
    returning e.id, e.claim_no, e.aggregate_id, e.event_type, e.payloads, e.event_uuid, e.traceparent, e.created_at,
              e.retry_count, e.run, e.deaths, e.forgiven_up_to
)
select null::bigint, null::bigint, null::bigint, null::bigint, null::bigint,
       (extract(epoch from now()) * 1000000)::bigint as now_us,
       c.id, c.claim_no, c.aggregate_id, c.event_type, c.payloads, c.event_uuid, c.traceparent,
       (extract(epoch from c.created_at) * 1000000)::bigint as created_us,
       c.retry_count, c.run, c.deaths, c.forgiven_up_to,
       (select x.id from outbox_events x
        where x.active and x.event_type like '!%' and x.aggregate_id = c.aggregate_id
          and x.event_type = '!' || c.event_type and x.id > c.id
        limit 1) is not null as cancel_waiting
from claimed c
