-- name: list_destinations
-- Destinations that are left alone or have asked for it, each until when and why.
select name, case when open_until > now() then 'open' when open_until is not null then 'half_open' else 'held' end as state,
       (extract(epoch from greatest(open_until, held_until)) * 1000000)::bigint as until_us, failures,
       coalesce(last_error, '') as last_error
from outbox_destinations
where open_until is not null or held_until > now()
order by name
