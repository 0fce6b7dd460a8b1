-- name: find_last_ids
-- Where a look for changes begins: the latest ids of now.
select coalesce((select max(e.id) from outbox_events e), 0),
       coalesce((select max(r.id) from aggregate_results r), 0),
       coalesce((select max(d.id) from dead_letter_events d), 0)
