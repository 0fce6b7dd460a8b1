-- name: resend_mail_where
-- Sends failed messages again, oldest first, and says how many.
-- $1 status, $2 document type, $3 received from, $4 received until (each null: any), $5 how many at most
select email_resend_where($1::text, $2::text, $3::timestamptz, $4::timestamptz, $5::int)
