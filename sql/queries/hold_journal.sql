-- name: hold_journal
-- Makes the flushes of one journal follow each other even when its connection was lost: the server may be busy with the
-- last one still, and commit it after we have looked whether it did. $1 owner
select pg_advisory_xact_lock(hashtextextended($1::text, 7316))
