-- name: resume_event
-- Makes an event due now that waits for a moment: its retries are counted anew. $1 id
--
-- By the clock at the row's turn, so that of two who ask at once the second finds it due already.
update outbox_events e
set next_retry_at = clock_timestamp(), retry_count = 0,
    forgiven_up_to = (select coalesce(max(r.id), 0) from aggregate_results r where r.event_id = e.id)
where e.id = $1::bigint and e.status = 'PENDING' and e.next_retry_at > clock_timestamp()
returning e.id, e.run
