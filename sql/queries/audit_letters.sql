-- name: audit_letters
-- The dead letters of some events, oldest first. $1 event ids
select d.original_event_id, d.id, d.status, d.reason,
       (extract(epoch from greatest('1970-01-01Z', least(d.status_changed_at, '9999-01-01Z'))) * 1000000)::bigint
           as changed_us,
       d.lease_owner is not null as owned,
       case when d.lease_expires_at is not null then
           (extract(epoch from greatest('1970-01-01Z', least(d.lease_expires_at, '9999-01-01Z'))) * 1000000)::bigint
       end as expires_us,
       d.next_retry_at is not null as has_retry_time, d.forgiven_up_to
from dead_letter_events d
where d.original_event_id = any ($1::bigint[])
order by d.id
