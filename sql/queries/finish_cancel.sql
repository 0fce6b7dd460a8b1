-- name: finish_cancel
-- Ends a cancel, and closes the letters that its undoing has made good: those of the events undone, and its own,
-- which a person had handed back. $1 owner, $2 id, $3 claim number, $4 the events undone
--
-- All of them are looked up by one list, since an index serves no `or` in our plans.
with settled as (
    update outbox_events e
    set status = 'PROCESSED', status_changed_at = now(), lease_owner = null, lease_expires_at = null,
        last_error = null
    where e.id = $2::bigint and e.claim_no = $3::int and e.lease_owner = $1::text
      and e.status = 'PROCESSING'
    returning e.id
),
closed as (
    update dead_letter_events d
    set status = 'PROCESSED', status_changed_at = now()
    where d.original_event_id = any ($4::bigint[] || $2::bigint)
      and ((d.original_event_id = any ($4::bigint[]) and d.status = 'FAILED')
           or (d.original_event_id = $2::bigint and d.status = 'RESOLVED'))
      and (select s.id from settled s) is not null
    returning d.id
)
select s.id from settled s
