-- name: open_mail_breaker
-- Leaves a provider out for a while. $1 provider, $2 failures in a row, $3 why, $4 for how many ms
insert into email_providers (name, failures, last_error, open_until)
values ($1::text, $2::int, $3::text, now() + $4::bigint * interval '1 millisecond')
on conflict (name) do update
set failures = excluded.failures, last_error = excluded.last_error, open_until = excluded.open_until,
    changed_at = now()
