-- name: find_oldest_pending
-- When the oldest event came, in microseconds ago, that could be taken now; null where none waits. Looks at the first
-- $1 rows of each index.
select (extract(epoch from clock_timestamp() - min(w.created_at)) * 1000000)::bigint as age_us
from (
    (select e.status, e.created_at from outbox_events e
     where e.active and e.next_retry_at is null order by e.id limit $1::bigint)
    union all
    (select e.status, e.created_at from outbox_events e
     where e.active and e.next_retry_at is not null and e.next_retry_at <= now()
     order by e.next_retry_at limit $1::bigint)
) w
where w.status = 'PENDING'
