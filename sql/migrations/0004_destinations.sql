-- What all relays know together of a destination that has limits. One that never had any has no row.
create table outbox_destinations (
    name         text primary key,
    next_call    timestamptz not null default '-infinity', -- no call has been given a moment from here on
    parked_until timestamptz not null default '-infinity', -- everything that was sent away comes back before this
    open_until   timestamptz, -- its breaker is open; once that is past, one call shows how it is
    held_until   timestamptz, -- it asked not to be called before
    failures     int not null default 0,
    last_error   text,
    changed_at   timestamptz not null default now()
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
