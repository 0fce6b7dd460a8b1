-- name: claim_destination_probe
-- Whether the caller is the one to call a destination whose breaker's time is over; and whether the breaker is open
-- at all by now. $1 destination, $2 for how many ms the others leave it alone
--
-- The row is locked by the update, so that the second of two callers finds a moment that lies ahead.
with claimed as (
    update outbox_destinations d
    set open_until = now() + $2::bigint * interval '1 millisecond', changed_at = now()
    where d.name = $1::text and d.open_until <= now()
    returning d.name
)
select exists (select from claimed) as mine,
       exists (select from outbox_destinations d where d.name = $1::text and d.open_until is not null) as open
