-- name: hold_destination
-- A destination asked not to be called for a while. $1 destination, $2 for how many ms, $3 why
update outbox_destinations
set held_until = greatest(held_until, now() + $2::bigint * interval '1 millisecond'), last_error = $3::text,
    changed_at = now()
where name = $1::text
