-- name: release_events
-- Hands events back at once: the relay stops. $1 owner, $2 ids, $3 claim numbers
--
-- They fall due now, so that other relays find them without looking at every id again.
update outbox_events e
set status = 'PENDING', status_changed_at = now(), lease_owner = null, lease_expires_at = null, next_retry_at = now()
where e.id = any ($2::bigint[])
  and e.claim_no = ($3::int[])[array_position($2::bigint[], e.id)]
  and e.lease_owner = $1::text
  and e.status = 'PROCESSING'
returning e.id
