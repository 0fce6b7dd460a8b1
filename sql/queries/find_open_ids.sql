-- name: find_open_ids
-- Events and letters that wait, are worked on, or need a person: where a look for changes begins. $1 rows of each kind
(select 'event' as kind, e.id from outbox_events e
 where e.active and e.next_retry_at is null order by e.id desc limit $1::bigint)
union all
(select 'event', e.id from outbox_events e
 where e.active and e.next_retry_at is not null order by e.next_retry_at limit $1::bigint)
union all
(select 'letter', d.id from dead_letter_events d where d.active order by d.id desc limit $1::bigint)
union all
(select 'letter', d.id from dead_letter_events d where d.failed order by d.id desc limit $1::bigint)
