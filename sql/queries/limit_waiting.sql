-- name: limit_waiting
-- For the rest of the transaction: a statement that hangs, on a lock of somebody else's for instance, is cut, since
-- everything that was to be written with it waits.
select set_config('statement_timeout', '5s', true), set_config('lock_timeout', '2s', true)
