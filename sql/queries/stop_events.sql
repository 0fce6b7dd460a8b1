-- name: stop_events
-- Ends events that a cancel waits for: what they did is the cancel's to undo. $1 owner, $2 ids, $3 claim numbers
update outbox_events e
set status = 'CANCELLED', status_changed_at = now(), lease_owner = null, lease_expires_at = null
where e.id = any ($2::bigint[])
  and e.claim_no = ($3::int[])[array_position($2::bigint[], e.id)]
  and e.lease_owner = $1::text
  and e.status = 'PROCESSING'
returning e.id
