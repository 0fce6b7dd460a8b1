-- name: list_mail_of_correlation
-- Messages with a correlation id, newest first.
-- $1 statuses, $2 below this id, $3 how many, $4 correlation id, $5 document type (null: any), $6 bare address (null: any)
select m.id, m.event_id, m.status, m.attempts, m.provider, m.last_error,
       (extract(epoch from m.next_try_at) * 1000000)::bigint as next_try_us,
       (extract(epoch from m.ended_at) * 1000000)::bigint as ended_us,
       (extract(epoch from m.received_at) * 1000000)::bigint as received_us,
       m.message_id, m.correlation_id, m.document_type, m.idempotency_key, to_jsonb(m.to_addresses),
       to_jsonb(m.cc_addresses), to_jsonb(m.bcc_addresses), m.reply_to, m.subject
from email_messages m
where m.correlation_id = $4::text
  and m.id < $2::bigint
  and m.status = any ($1::text[])
  and ($5::text is null or m.document_type = $5::text)
  and ($6::text is null
       or exists (select from email_recipients r where r.message_id = m.id and r.address = lower($6::text)))
order by m.correlation_id desc, m.id desc
limit $3::int
