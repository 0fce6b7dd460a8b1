-- name: load_mail_attachments
-- A message's attachments in their order, without their bytes. $1 message
select id, file_name, content_type, bytes
from email_attachments
where message_id = $1::bigint
order by position
