-- name: resend_mail
-- Sends a failed message again, and says what came of it. $1 message
select email_try_again($1::bigint)
