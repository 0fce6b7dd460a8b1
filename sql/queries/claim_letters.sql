-- name: claim_letters
-- Takes dead letters that are due for compensation, oldest first, each with its event.
-- $1 owner, $2 limit, $3 lease in ms, $4 take expired leases too
--
-- A letter that a person gives back waits for a cancel that is undoing the same steps already.
with locked as materialized (
    select d.id
    from dead_letter_events d
    where d.active
      and ((d.status = 'PENDING' and (d.next_retry_at is null or d.next_retry_at <= now()))
           or ($4::bool and d.status = 'PROCESSING'
               and coalesce(d.lease_expires_at, '-infinity') < now()))
      and (select x.id from outbox_events x
           where x.active and x.event_type like '!%' and x.aggregate_id = d.aggregate_id
             and x.event_type = '!' || d.event_type and x.id > d.original_event_id
             and x.status = 'PROCESSING' and x.lease_expires_at >= now()
           limit 1) is null
    order by d.id
    limit $2::int
    for no key update of d skip locked
),
claimed as (
    update dead_letter_events d
    set status = 'PROCESSING',
        status_changed_at = now(),
        lease_owner = $1::text,
        lease_expires_at = now() + $3::bigint * interval '1 millisecond',
        claim_no = d.claim_no + 1,
        deaths = d.deaths + (d.status = 'PROCESSING')::int,
        next_retry_at = null
    where d.id = any (array(select id from locked))
    returning d.id, d.claim_no, d.original_event_id, d.reason, d.deaths, d.revert_retry_count,
              d.forgiven_up_to
)
select (extract(epoch from now()) * 1000000)::bigint as now_us,
       c.id, c.claim_no, c.original_event_id, c.reason, c.deaths, c.revert_retry_count, c.forgiven_up_to
from claimed c
