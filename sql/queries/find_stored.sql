-- name: find_stored
-- Which of these result rows are there: for a flush whose commit was not confirmed. Attempts are counted anew when a
-- person has asked to try again, so that what was made before that is another row.
-- $1 event ids, $2 destinations, $3 runs, $4 causes, $5 attempts
select r.event_id, r.cause, r.destination, (extract(epoch from now()) * 1000000)::bigint as now_us
from unnest($1::bigint[], $2::text[], $3::int[], $4::bigint[], $5::int[])
     as r (event_id, destination, run, cause, attempt)
where (select a.id from aggregate_results a
       where a.event_id = r.event_id and a.destination = r.destination and a.run = r.run
         and coalesce(a.cause_event_id, a.event_id) = r.cause and a.attempt = r.attempt
         and a.id > greatest(
             (select e.forgiven_up_to from outbox_events e where e.id = r.event_id),
             (select e.forgiven_up_to from outbox_events e where e.id = r.cause),
             (select max(d.forgiven_up_to) from dead_letter_events d where d.original_event_id = r.event_id))
       order by a.id desc limit 1) is not null
