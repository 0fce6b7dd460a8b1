-- name: list_mail_providers
-- Providers that failed lately, with what they are held for.
select name,
       case when open_until is null then 'closed' when open_until > now() then 'open' else 'half_open' end as state,
       failures, last_error,
       (extract(epoch from open_until) * 1000000)::bigint as open_until_us,
       (extract(epoch from changed_at) * 1000000)::bigint as changed_us
from email_providers
order by name
