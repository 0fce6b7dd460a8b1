-- name: close_mail_breaker
-- A provider works again. $1 provider
update email_providers
set failures = 0, last_error = null, open_until = null, changed_at = now()
where name = $1::text and (open_until is not null or failures > 0)
