-- name: sleep_lock
-- Taken by a listener while its relay sleeps: producers that find it taken send a notification. Waits for
-- producers whose transactions are under way, at most for lock_timeout.
select pg_advisory_lock(7316, ('outbox_events'::regclass::oid::bigint & 2147483647)::int)
