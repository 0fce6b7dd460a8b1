-- name: renew_letters
-- Lengthens leases on letters that are still the owner's own; of each such, whether it could be now.
-- $1 owner, $2 ids, $3 claim numbers, $4 lease in ms
--
-- A row that somebody has locked is passed over: one such must not keep all other leases from being renewed in time.
with ours as materialized (
    select w.id, w.claim_no
    from unnest($2::bigint[], $3::int[]) as w (id, claim_no)
    where (select d.claim_no from dead_letter_events d
           where d.id = w.id and d.lease_owner = $1::text and d.status = 'PROCESSING') = w.claim_no
),
locked as materialized (
    select d.id
    from dead_letter_events d
    where d.id = any (array(select id from ours)) and d.lease_owner = $1::text and d.status = 'PROCESSING'
    order by d.id
    for no key update skip locked
),
renewed as (
    update dead_letter_events d
    set lease_expires_at = now() + $4::bigint * interval '1 millisecond'
    where d.id = any (array(select id from locked))
    returning d.id
)
select o.id, o.claim_no, (select r.id from renewed r where r.id = o.id limit 1) is not null as renewed
from ours o
