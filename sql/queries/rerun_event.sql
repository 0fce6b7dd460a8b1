-- name: rerun_event
-- Runs an event again that failed for good, and closes a letter of it that waited for a person.
-- $1 id, $2 why the letter is closed, $3 by whom
--
-- Not while its letter is at work, nor while a call of it is in doubt: a call that may have taken effect would be made a
-- second time under another key, and a step that may have been undone would be taken to stand.
with again as (
    update outbox_events e
    set status = 'PENDING', status_changed_at = now(), next_retry_at = now(), run = e.run + 1,
        retry_count = 0, deaths = 0, last_error = null, moved_to_dlq = false,
        forgiven_up_to = (select coalesce(max(r.id), 0) from aggregate_results r where r.event_id = e.id)
    where e.id = $1::bigint and e.status = 'PROCESSED' and e.moved_to_dlq
      and not exists (select from dead_letter_events d
                      where d.original_event_id = e.id and d.status in ('PENDING', 'PROCESSING'))
      and not exists (select from outbox_events x
                      where x.active and (x.aggregate_id, x.id) > (e.aggregate_id, e.id)
                        and (x.aggregate_id, x.id) <= (e.aggregate_id, 9223372036854775807)
                        and x.event_type = '!' || e.event_type)
      and (not exists (select from dead_letter_events d
                       where d.original_event_id = e.id and d.status = 'FAILED')
           or (e.deaths = 0
               and not exists (select from dead_letter_events d
                               where d.original_event_id = e.id and d.status = 'FAILED' and d.deaths > 0)
               and not exists (
                   select from aggregate_results r
                   where r.event_id = e.id and (r.outcome = 'unknown' or r.interrupted > 0)
                     and not exists (
                         select from aggregate_results s
                         where s.event_id = e.id and s.id >= r.id and s.outcome = 'succeeded'
                           and s.destination in (r.destination, r.destination || '.revert')))))
    returning e.id, e.run
),
closed as (
    update dead_letter_events d
    set status = 'RESOLVED', status_changed_at = now(), resolution_note = $2::text, resolved_by = $3::text,
        resolved_at = now()
    where d.original_event_id = $1::bigint and d.status = 'FAILED'
      and (select a.id from again a) is not null
    returning d.id
)
select a.id, a.run from again a
