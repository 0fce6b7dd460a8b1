-- name: renew_events
-- Lengthens leases that are still the owner's own. $1 owner, $2 ids, $3 claim numbers, $4 lease in ms
update outbox_events e
set lease_expires_at = now() + $4::bigint * interval '1 millisecond'
where e.id = any ($2::bigint[])
  and e.claim_no = ($3::int[])[array_position($2::bigint[], e.id)]
  and e.lease_owner = $1::text
  and e.status = 'PROCESSING'
returning e.id
