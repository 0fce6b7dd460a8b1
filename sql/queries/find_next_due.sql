-- name: find_next_due
-- Microseconds until the next retry, delayed event or letter falls due, for the exact timer; null where there is none.
-- A moment that has passed gives 0: somebody else may hold what is due, or order holds it up.
select (extract(epoch from greatest(least(
           (select min(next_retry_at) from outbox_events
            where active and next_retry_at is not null and next_retry_at > now()),
           (select min(next_retry_at) from dead_letter_events
            where active and next_retry_at is not null and next_retry_at > now())), now()) - now())
        * 1000000)::bigint as due_in_us,
       (extract(epoch from now()) * 1000000)::bigint as now_us
