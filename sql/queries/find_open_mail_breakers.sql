-- name: find_open_mail_breakers
-- Providers that are left out, each until when; a moment that has passed asks for a probe.
select name, (extract(epoch from open_until) * 1000000)::bigint as open_until_us
from email_providers
where open_until is not null
order by name
