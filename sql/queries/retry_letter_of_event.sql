-- name: retry_letter_of_event
-- Lets a `!X` go on that failed, by giving back its letter. $1 the id of the `!X`
update dead_letter_events d
set status = 'PENDING', status_changed_at = now(), next_retry_at = null, deaths = 0, revert_retry_count = 0,
    forgiven_up_to = (select coalesce(max(r.id), 0) from aggregate_results r where r.event_id = d.original_event_id)
where d.id = (select max(l.id) from dead_letter_events l where l.original_event_id = $1::bigint)
  and d.status = 'FAILED'
  and (select e.status from outbox_events e where e.id = $1::bigint) = 'FAILED'
returning d.id, d.original_event_id, d.status
