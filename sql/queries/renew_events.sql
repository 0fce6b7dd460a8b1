-- name: renew_events
-- Lengthens leases that are still the owner's own; of each such, whether it could be now.
-- $1 owner, $2 ids, $3 claim numbers, $4 lease in ms
--
-- A row that somebody has locked is passed over: one such must not keep all other leases from being renewed in time.
with ours as materialized (
    select w.id, w.claim_no
    from unnest($2::bigint[], $3::int[]) as w (id, claim_no)
    where (select e.claim_no from outbox_events e
           where e.id = w.id and e.lease_owner = $1::text and e.status = 'PROCESSING') = w.claim_no
),
locked as materialized (
    select e.id
    from outbox_events e
    where e.id = any (array(select id from ours)) and e.lease_owner = $1::text and e.status = 'PROCESSING'
    order by e.id
    for no key update skip locked
),
renewed as (
    update outbox_events e
    set lease_expires_at = now() + $4::bigint * interval '1 millisecond'
    where e.id = any (array(select id from locked))
    returning e.id
)
select o.id, o.claim_no, (select r.id from renewed r where r.id = o.id limit 1) is not null as renewed
from ours o
