-- name: list_mail_of_type
-- Messages of a document type with one of some statuses, newest first.
-- $1 statuses, $2 below this id, $3 how many, $4 document type
select m.id, m.event_id, m.status, m.attempts, m.provider, m.last_error,
       (extract(epoch from m.next_try_at) * 1000000)::bigint as next_try_us,
       (extract(epoch from m.ended_at) * 1000000)::bigint as ended_us,
       (extract(epoch from m.received_at) * 1000000)::bigint as received_us,
       m.message_id, m.correlation_id, m.document_type, m.idempotency_key, to_jsonb(m.to_addresses),
       to_jsonb(m.cc_addresses), to_jsonb(m.bcc_addresses), m.reply_to, m.subject
from (
    select page.id
    from unnest($1::text[]) wanted (status)
    cross join lateral (
        select c.id from email_messages c
        where c.document_type = $4::text and c.status = wanted.status and c.id < $2::bigint
        order by c.document_type desc, c.status desc, c.id desc
        limit $3::int
    ) page
    order by page.id desc
    limit $3::int
) found
join email_messages m on m.id = found.id
order by m.id desc
