-- name: publish_mail_rules
-- Puts what intake accepts in force for whoever emits from now on; writes nothing where it is in force already.
-- $1 sender, $2 document types, $3 attachment types, $4 attachments, $5 bytes of each, $6 bytes together, $7 recipients
insert into email_rules as r (sender, document_types, attachment_types, max_attachments, max_attachment_bytes,
                              max_total_bytes, max_recipients)
values ($1::text, $2::text[], $3::text[], $4::int, $5::bigint, $6::bigint, $7::int)
on conflict (only_row) do update
set sender = excluded.sender, document_types = excluded.document_types, attachment_types = excluded.attachment_types,
    max_attachments = excluded.max_attachments, max_attachment_bytes = excluded.max_attachment_bytes,
    max_total_bytes = excluded.max_total_bytes, max_recipients = excluded.max_recipients, published_at = now()
where (r.sender, r.document_types, r.attachment_types, r.max_attachments, r.max_attachment_bytes, r.max_total_bytes,
       r.max_recipients)
      is distinct from
      (excluded.sender, excluded.document_types, excluded.attachment_types, excluded.max_attachments,
       excluded.max_attachment_bytes, excluded.max_total_bytes, excluded.max_recipients)
