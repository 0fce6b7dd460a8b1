-- name: get_mail
-- A message with its texts. $1 message
select m.id, m.event_id, m.status, m.attempts, m.provider, m.last_error,
       (extract(epoch from m.next_try_at) * 1000000)::bigint as next_try_us,
       (extract(epoch from m.ended_at) * 1000000)::bigint as ended_us,
       (extract(epoch from m.received_at) * 1000000)::bigint as received_us,
       m.message_id, m.correlation_id, m.document_type, m.idempotency_key, to_jsonb(m.to_addresses),
       to_jsonb(m.cc_addresses), to_jsonb(m.bcc_addresses), m.reply_to, m.subject,
       m.text_body, m.html_body
from email_messages m
where m.id = $1::bigint
