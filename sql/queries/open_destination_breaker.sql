-- name: open_destination_breaker
-- Leaves a destination alone for a while. $1 destination, $2 failures in a row, $3 why, $4 for how many ms
update outbox_destinations
set failures = $2::int, last_error = $3::text, open_until = now() + $4::bigint * interval '1 millisecond',
    changed_at = now()
where name = $1::text
