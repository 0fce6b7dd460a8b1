-- name: retry_letter
-- Gives a letter back that waited for a person: its undoing goes on, with all its attempts anew. $1 id
--
-- The letter of a `!X` is closed instead, and the cancel itself goes on: the trigger hand_back_cancel.
update dead_letter_events d
set status = 'PENDING', status_changed_at = now(), next_retry_at = null, deaths = 0, revert_retry_count = 0,
    forgiven_up_to = (select coalesce(max(r.id), 0) from aggregate_results r where r.event_id = d.original_event_id)
where d.id = $1::bigint and d.status = 'FAILED'
returning d.id, d.original_event_id, d.status
