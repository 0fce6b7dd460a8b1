-- name: claim_due
-- Takes retries and delayed events whose time has come, longest due first.
-- $1 owner, $2 limit, $3 lease in ms, $4 keep the order within an aggregate, $5 take expired leases too
--
-- A claim clears next_retry_at, so who has both a moment and a lease was marked by hand: a sweep does not see it.
-- Whatever the order, a cancel waits for the cancel in front of it, and for what it cancels and the letters of that,
-- while they are being worked on. Columns as those of claim_ready, so that one reader serves both.
with locked as materialized (
    select h.id
    from outbox_events h
    where h.active and h.next_retry_at is not null and h.next_retry_at <= now()
      and (h.status = 'PENDING'
           or ($5::bool and coalesce(h.lease_expires_at, '-infinity') < now()))
      and (not $4::bool
           or (select p.id from outbox_events p
               where p.active and (p.aggregate_id, p.id) >= (h.aggregate_id, 0)
                 and (p.aggregate_id, p.id) < (h.aggregate_id, h.id)
                 and not (p.claim_no = 0 and p.next_retry_at is not null and p.next_retry_at > now())
                 and not (p.status = 'PENDING' and h.event_type = '!' || p.event_type)
               order by p.aggregate_id, p.id limit 1) is null)
      and (not $4::bool
           or (select d.id from dead_letter_events d
               where d.active and (d.aggregate_id, d.original_event_id) >= (h.aggregate_id, 0)
                 and (d.aggregate_id, d.original_event_id) < (h.aggregate_id, h.id)
               order by d.aggregate_id, d.original_event_id limit 1) is null)
      and (left(h.event_type, 1) <> '!'
           or ((select p.id from outbox_events p
                where p.active and (p.aggregate_id, p.id) >= (h.aggregate_id, 0)
                  and (p.aggregate_id, p.id) < (h.aggregate_id, h.id)
                  and ((p.status = 'PROCESSING' and h.event_type = '!' || p.event_type)
                       or (p.event_type = h.event_type
                           and not (p.claim_no = 0 and p.next_retry_at is not null and p.next_retry_at > now())))
                order by p.aggregate_id, p.id limit 1) is null
               and (select p.id from outbox_events p
                    where p.active and (p.aggregate_id, p.id) > (h.aggregate_id, h.id)
                      and (p.aggregate_id, p.id) <= (h.aggregate_id, 9223372036854775807)
                      and p.event_type = h.event_type and p.status = 'PROCESSING' and p.lease_expires_at >= now()
                    order by p.aggregate_id, p.id limit 1) is null
               and (select d.id from dead_letter_events d
                    where d.active and (d.aggregate_id, d.original_event_id) >= (h.aggregate_id, 0)
                      and (d.aggregate_id, d.original_event_id) < (h.aggregate_id, h.id)
                      and h.event_type = '!' || d.event_type
                    order by d.aggregate_id, d.original_event_id limit 1) is null))
    order by h.next_retry_at
    limit $2::int
    for no key update of h skip locked
),
claimed as (
    update outbox_events e
    set status = 'PROCESSING',
        status_changed_at = now(),
        lease_owner = $1::text,
        lease_expires_at = now() + $3::bigint * interval '1 millisecond',
        claim_no = e.claim_no + 1,
        deaths = e.deaths + (e.status = 'PROCESSING')::int,
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
