-- name: find_cancels
-- Cancels that wait, for events under way. $1 event ids, $2 their aggregates, $3 their types
select r.id
from unnest($1::bigint[], $2::text[], $3::text[]) as r (id, aggregate_id, event_type)
where (select x.id from outbox_events x
       where x.active and x.event_type like '!%' and x.aggregate_id = r.aggregate_id
         and x.event_type = '!' || r.event_type and x.id > r.id
       limit 1) is not null
