-- name: load_mail
-- A stored message without its attachments, for sending. $1 message
select id, message_id, correlation_id, document_type, idempotency_key,
       (extract(epoch from received_at) * 1000000)::bigint as received_us,
       to_jsonb(to_addresses) as to_addresses, to_jsonb(cc_addresses) as cc_addresses,
       to_jsonb(bcc_addresses) as bcc_addresses, reply_to, subject, text_body, html_body
from email_messages
where id = $1::bigint
