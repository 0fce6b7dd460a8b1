-- name: purge_mail
-- Deletes messages that ended long enough ago, with their attachments, oldest first, and says how many.
-- $1 age of sent ones in ms, $2 age of failed ones in ms (null: they stay), $3 how many at most of either
--
-- A message whose event goes on, a saga with more steps, stays; so does one that somebody is sending again.
with sent as materialized (
    select m.id
    from email_messages m
    where m.ended_at is not null and m.status = 'SUCCESS_SENT'
      and m.ended_at < now() - $1::bigint * interval '1 millisecond'
      and not exists (select from outbox_events e where e.id = m.event_id and e.active)
    order by m.ended_at
    limit $3::int
    for update skip locked
),
failed as materialized (
    select m.id
    from email_messages m
    where m.ended_at is not null and m.status in ('FAILED_NOT_RETRYABLE', 'FAILED_RETRIES_EXHAUSTED')
      and m.ended_at < now() - $2::bigint * interval '1 millisecond'
      and not exists (select from outbox_events e where e.id = m.event_id and e.active)
    limit $3::int
    for update skip locked
),
gone as (
    delete from email_messages m
    where m.id = any (array(select id from sent union all select id from failed))
    returning m.id
)
select count(*) from gone
