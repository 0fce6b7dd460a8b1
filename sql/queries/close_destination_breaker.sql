-- name: close_destination_breaker
-- A destination works again. $1 destination
update outbox_destinations
set failures = 0, last_error = null, open_until = null, changed_at = now()
where name = $1::text and (open_until is not null or failures > 0)
