-- name: find_blockers
-- What stands before an event: the first event of its aggregate that must end first, the first dead letter that must
-- be undone first, and how many workers are connected, as far as the asking role may see.
-- $1 event, $2 keep the order within an aggregate
select b.id, b.event_type, b.status, l.id, l.original_event_id, l.status,
       (select count(*) from pg_stat_activity s
        where s.datname = current_database() and s.application_name like 'sagabox worker % claims') as workers
from outbox_events e
left join lateral (
    select p.id, p.event_type, p.status
    from outbox_events p
    where $2::bool and p.active and (p.aggregate_id, p.id) >= (e.aggregate_id, 0)
      and (p.aggregate_id, p.id) < (e.aggregate_id, e.id)
      and not (p.claim_no = 0 and p.next_retry_at is not null and p.next_retry_at > now())
      and not (p.status = 'PENDING' and e.event_type = '!' || p.event_type)
    order by p.aggregate_id, p.id
    limit 1
) b on true
left join lateral (
    select d.id, d.original_event_id, d.status
    from dead_letter_events d
    where $2::bool and d.active and (d.aggregate_id, d.original_event_id) >= (e.aggregate_id, 0)
      and (d.aggregate_id, d.original_event_id) < (e.aggregate_id, e.id)
    order by d.aggregate_id, d.original_event_id
    limit 1
) l on true
where e.id = $1::bigint
