-- name: list_letters
-- A page of dead letters, newest first, from a bounded look at the latest ids. As in list_events, the first column
-- stands in every row.
-- $1 ids below this, $2 how many, $3 rows to look at, $4 status or null, $5 reason or null
with looked as materialized (
    select d.id
    from dead_letter_events d
    where d.id < $1::bigint
    order by d.id desc
    limit $3::bigint
)
select s.stopped_at,
       m.id, m.original_event_id, m.aggregate_id, m.event_type, m.reason, m.status, m.created_us, m.failed_us,
       m.changed_us, m.retry_count, m.last_error, m.revert_retry_count, m.revert_error, m.due_us,
       m.resolution_note, m.resolved_by, m.resolved_us
from (select case when count(*) = $3::bigint then min(l.id) end as stopped_at from looked l) s
left join lateral (
    select d.id, d.original_event_id, d.aggregate_id, d.event_type, d.reason, d.status,
           (extract(epoch from d.created_at) * 1000000)::bigint as created_us,
           (extract(epoch from d.failed_at) * 1000000)::bigint as failed_us,
           (extract(epoch from d.status_changed_at) * 1000000)::bigint as changed_us,
           d.retry_count, d.last_error, d.revert_retry_count, d.revert_error,
           case when isfinite(d.next_retry_at) then (extract(epoch from d.next_retry_at) * 1000000)::bigint end as due_us,
           d.resolution_note, d.resolved_by,
           (extract(epoch from d.resolved_at) * 1000000)::bigint as resolved_us
    from looked l
    join dead_letter_events d on d.id = l.id
    where ($4::text is null or d.status = $4::text)
      and ($5::text is null or d.reason = $5::text)
    order by l.id desc
    limit $2::bigint
) m on true
order by m.id desc
