-- name: load_saga_letters
-- The latest dead letter of each event, where it has one. $1 event ids
select distinct on (d.original_event_id)
       d.original_event_id, d.id, d.status, d.reason,
       case when isfinite(d.next_retry_at) then (extract(epoch from d.next_retry_at) * 1000000)::bigint end as due_us,
       left(d.revert_error, 300) as revert_error
from dead_letter_events d
where d.original_event_id = any ($1::bigint[])
order by d.original_event_id, d.id desc
