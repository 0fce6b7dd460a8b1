-- name: sleep_unlock
-- Given back when the relay wakes: nobody has to notify while it looks for work by itself.
select pg_advisory_unlock(7316, ('outbox_events'::regclass::oid::bigint & 2147483647)::int)
