-- name: claim_mail_probe
-- Whether the caller may try a provider: it alone, where the provider's time is over, and anybody, where it isn't left
-- out at all. $1 provider, $2 for how many ms the others leave it out
--
-- The row is locked by the update, so that the second of two callers finds a moment that lies ahead.
with claimed as (
    update email_providers p
    set open_until = now() + $2::bigint * interval '1 millisecond'
    where p.name = $1::text and p.open_until <= now()
    returning p.name
)
select exists (select from claimed)
       or not exists (select from email_providers p where p.name = $1::text and p.open_until is not null)
