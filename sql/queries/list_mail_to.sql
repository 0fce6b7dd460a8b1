-- name: list_mail_to
-- Messages to somebody, newest first.
-- $1 statuses, $2 below this id, $3 how many, $4 bare address, $5 document type (null: any)
select m.id, m.event_id, m.status, m.attempts, m.provider, m.last_error,
       (extract(epoch from m.next_try_at) * 1000000)::bigint as next_try_us,
       (extract(epoch from m.ended_at) * 1000000)::bigint as ended_us,
       (extract(epoch from m.received_at) * 1000000)::bigint as received_us,
       m.message_id, m.correlation_id, m.document_type, m.idempotency_key, to_jsonb(m.to_addresses),
       to_jsonb(m.cc_addresses), to_jsonb(m.bcc_addresses), m.reply_to, m.subject
from email_recipients r
join email_messages m on m.id = r.message_id
where r.address = lower($4::text)
  and r.message_id < $2::bigint
  and m.status = any ($1::text[])
  and ($5::text is null or m.document_type = $5::text)
order by r.address desc, r.message_id desc
limit $3::int
