-- name: cancel_waiting
-- Ends events that wait for a retry or have never begun, because a cancel undoes them. $1 ids
update outbox_events e
set status = 'CANCELLED', status_changed_at = now()
where e.id = any ($1::bigint[]) and e.status = 'PENDING'
returning e.id
