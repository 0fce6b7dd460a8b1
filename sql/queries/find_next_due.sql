-- name: find_next_due
-- Microseconds until the next retry, delayed event or letter falls due, for the exact timer; null where nothing waits.
-- What is due already is not counted: somebody else holds it, or order holds it up.
select (extract(epoch from due.at - now()) * 1000000)::bigint as due_in_us
from (
    select least(
        (select min(next_retry_at) from outbox_events
         where active and next_retry_at is not null and next_retry_at > now()
           and next_retry_at < 'infinity'),
        (select min(next_retry_at) from dead_letter_events
         where active and next_retry_at is not null and next_retry_at > now()
           and next_retry_at < 'infinity')) as at
) due
