-- name: load_mail_attachment_piece
-- A piece of an attachment's bytes, and how many there are in all; stored uncompressed, so that no more is read.
-- $1 attachment, $2 bytes to pass over, $3 bytes at most
select encode(substring(content from $2::int + 1 for $3::int), 'hex'), bytes
from email_attachments
where id = $1::bigint
