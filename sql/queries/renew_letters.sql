-- name: renew_letters
-- Lengthens leases on letters that are still the owner's own. $1 owner, $2 ids, $3 claim numbers, $4 lease in ms
update dead_letter_events d
set lease_expires_at = now() + $4::bigint * interval '1 millisecond'
where d.id = any ($2::bigint[])
  and d.claim_no = ($3::int[])[array_position($2::bigint[], d.id)]
  and d.lease_owner = $1::text
  and d.status = 'PROCESSING'
returning d.id
