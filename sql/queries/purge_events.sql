-- name: purge_events
-- Deletes events that ended long enough ago, with their results and letters: those among the first ones above an id.
-- $1 above this id, $2 rows to look at, $3 retention in ms
--
-- The walk goes by id and needs no index on the end's time, which every event would have to pay for: an event that was
-- created less than the retention ago can't have ended before, so the walk is over at the first such. One that says it
-- was created in the future says nothing: it must not end every walk for years.
-- What stays: an event whose letter is at work or waits for a person, one of an aggregate that has work to do (a cancel
-- may need what it did), and one whose mail is still stored.
with looked_at as materialized (
    select id, created_at
    from outbox_events
    where id > $1::bigint
    order by id
    limit $2::int
),
locked as materialized (
    select e.id
    from outbox_events e
    where e.id = any (array(select l.id from looked_at l))
      and not e.active
      and e.status_changed_at < now() - $3::bigint * interval '1 millisecond'
      and (select d.id from dead_letter_events d
           where d.original_event_id = e.id
             and (d.active or d.status = 'FAILED'
                  or d.status_changed_at >= now() - $3::bigint * interval '1 millisecond')
           limit 1) is null
      and (select p.id from outbox_events p where p.active and p.aggregate_id = e.aggregate_id limit 1) is null
      and (e.email_id is null or (select m.id from email_messages m where m.id = e.email_id) is null)
    order by e.id
    for update skip locked
),
results as (
    delete from aggregate_results r where r.event_id = any (array(select id from locked)) returning 1
),
letters as (
    delete from dead_letter_events d where d.original_event_id = any (array(select id from locked)) returning 1
),
events as (
    delete from outbox_events e where e.id = any (array(select id from locked)) returning 1
)
select (select max(id) from looked_at) as last_id,
       (select count(*) from looked_at) as looked_at,
       coalesce((select max(created_at) from looked_at where created_at <= now())
                >= now() - $3::bigint * interval '1 millisecond', false) as over,
       (select count(*) from events) as events,
       (select count(*) from results) as results,
       (select count(*) from letters) as letters
