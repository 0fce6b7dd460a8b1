-- name: resolve_letter
-- Closes a letter that waited for a person, who has put it right by hand. $1 id, $2 note, $3 by whom
update dead_letter_events d
set status = 'RESOLVED', status_changed_at = now(), resolution_note = $2::text, resolved_by = $3::text,
    resolved_at = now()
where d.id = $1::bigint and d.status = 'FAILED'
returning d.id, d.original_event_id, d.status
