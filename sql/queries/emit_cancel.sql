-- name: emit_cancel
-- Asks for the undoing of what an event did; returns the cancel's id, and nothing where there is no such event.
-- $1 event id
select outbox_emit(e.aggregate_id, '!' || e.event_type, '{}'::jsonb), '!' || e.event_type, e.aggregate_id
from outbox_events e
where e.id = $1::bigint and left(e.event_type, 1) <> '!'
