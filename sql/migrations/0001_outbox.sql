-- The tables of the contract's section 3, and the functions by which events get in.
--
-- Two decisions carry the speed. Every partial index looks at the generated column `active`, never at
-- `status`: PENDING -> PROCESSING then changes no indexed value, so that a claim and a lease renewal are
-- HOT updates. And half of each page is left free for them.

create table outbox_events (
    id                bigserial primary key,
    -- An index takes no more than a third of a page, and says so in words that name no column.
    aggregate_id      text not null
        constraint an_aggregate_id_is_short_enough check (octet_length(aggregate_id) <= 1000),
    event_type        text not null,
    payloads          jsonb not null,
    status            text not null default 'PENDING'
        constraint an_event_has_a_known_status
        check (status in ('PENDING', 'PROCESSING', 'PROCESSED', 'FAILED', 'CANCELLED')),
    created_at        timestamptz not null default now()
        constraint an_event_was_created_at_some_moment check (isfinite(created_at)),
    status_changed_at timestamptz not null default now(),
    retry_count       int not null default 0,
    next_retry_at     timestamptz,
    last_error        text,
    moved_to_dlq      bool not null default false,
    idempotency_key   text,
    event_uuid        uuid not null default gen_random_uuid(),
    lease_owner       text,
    lease_expires_at  timestamptz,
    -- Rises with every claim: whatever a worker writes, it writes under its own number.
    claim_no          int not null default 0,
    -- 2 when the event is run again after it was compensated, and so on.
    run               int not null default 1,
    -- Leases on it that expired since anything was written down for it.
    deaths            int not null default 0,
    -- Results up to this one were made before a person asked to try again.
    forgiven_up_to    bigint not null default 0,
    active            bool generated always as (status = 'PENDING' or status = 'PROCESSING') stored
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
        autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

create index outbox_ready  on outbox_events (id) where active and next_retry_at is null;
create index outbox_order  on outbox_events (aggregate_id, id) where active;
create index outbox_due    on outbox_events (next_retry_at) where active and next_retry_at is not null;
-- Cancels that wait, hardly ever any: so that every flush can ask for them.
create index outbox_cancel on outbox_events (aggregate_id) where active and event_type like '!%';
-- An aggregate's finished events: what a cancel undoes.
create index outbox_past   on outbox_events (aggregate_id, id) where not active;
create unique index outbox_idempotency on outbox_events (idempotency_key)
    where active and idempotency_key is not null;

create table aggregate_results (
    id               bigserial primary key,
    event_id         bigint not null,
    aggregate_id     text not null,
    event_type       text not null,
    destination      text not null,
    endpoint_url     text,
    http_method      text,
    request_payload  jsonb,
    response_status  int,
    response_payload jsonb,
    published_at     timestamptz not null default now(),
    duration_ms      int,
    success          bool not null,
    outcome          text not null
        constraint a_result_has_a_known_outcome
        check (outcome in ('succeeded', 'rejected', 'failed', 'unknown', 'skipped')),
    error_message    text,
    fanout_order     int not null default 0,
    attempt          int not null default 1,
    -- On whose behalf the call was made: null for the event itself, or the `!X` that cancels it.
    cause_event_id   bigint,
    -- Which of the destination's routes was taken: its revert is the one that counts.
    route            int not null default 0,
    run              int not null default 1,
    -- The pause that the answer asked for.
    retry_after_ms   bigint,
    -- Workers lost on this step before this attempt: each may have made the call.
    interrupted      int not null default 0
) with (autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_analyze_scale_factor = 0.05);

create index results_event on aggregate_results (event_id);

create table dead_letter_events (
    id                 bigserial primary key,
    original_event_id  bigint not null,
    aggregate_id       text not null,
    event_type         text not null,
    payloads           jsonb,
    created_at         timestamptz,
    failed_at          timestamptz not null default now(),
    retry_count        int,
    last_error         text,
    reason             text not null
        constraint a_letter_has_a_known_reason
        check (reason in ('MAX_RETRIES_EXCEEDED', 'NON_RETRYABLE_ERROR', 'POISONED')),
    status             text not null default 'PENDING'
        constraint a_letter_has_a_known_status
        check (status in ('PENDING', 'PROCESSING', 'PROCESSED', 'FAILED', 'RESOLVED')),
    status_changed_at  timestamptz not null default now(),
    revert_retry_count int not null default 0,
    revert_error       text,
    next_retry_at      timestamptz,
    lease_owner        text,
    lease_expires_at   timestamptz,
    claim_no           int not null default 0,
    deaths             int not null default 0,
    forgiven_up_to     bigint not null default 0,
    active             bool generated always as (status = 'PENDING' or status = 'PROCESSING') stored
) with (fillfactor = 70);

create index letters_order on dead_letter_events (aggregate_id, original_event_id) where active;
create index letters_due   on dead_letter_events (id) where active;
create index letters_event on dead_letter_events (original_event_id);

-- lz4 costs less than half of pglz's time; servers built without it keep pglz. By `execute`, since PostgreSQL 13 does not
-- know the syntax, and a block is parsed whole before any of it runs.
do $$
begin
    execute 'alter table aggregate_results alter request_payload set compression lz4';
    execute 'alter table aggregate_results alter response_payload set compression lz4';
    execute 'alter table outbox_events alter payloads set compression lz4';
exception when others then
    null;
end
$$;

-- Wakes a relay that sleeps. A listener holds the advisory lock exactly while it sleeps, so that a
-- producer whose try fails must notify; while relays are awake nobody pays for NOTIFY, which takes a
-- lock at commit that serialises all producers.
create function outbox_wake() returns trigger language plpgsql as $$
begin
    if not pg_try_advisory_xact_lock_shared(7316, (tg_relid::bigint & 2147483647)::int) then
        perform pg_notify('outbox_events_channel', '');
    end if;
    return null;
end
$$;

create trigger outbox_wake after insert on outbox_events
    for each statement execute function outbox_wake();

create function letters_wake() returns trigger language plpgsql as $$
begin
    perform pg_notify('dlq_events_channel', '');
    return null;
end
$$;

-- A letter that a person gives back. Letters that relays write are found by them without a word.
create trigger letters_wake after update of status on dead_letter_events
    for each row when (old.status = 'FAILED' and new.status = 'PENDING')
    execute function letters_wake();

-- A cancel is never compensated, so there is nothing to do with its letter: the cancel itself goes on, with
-- all its attempts anew, and the letter is closed. Where a later cancel is at work, that one undoes it all.
create function hand_back_cancel() returns trigger language plpgsql set search_path from current as $$
declare
    results_so_far bigint;
begin
    new.status := 'RESOLVED';
    if exists (select from outbox_events e
               where e.active and e.aggregate_id = new.aggregate_id and e.event_type = new.event_type) then
        return new;
    end if;
    select coalesce(max(r.id), 0) into results_so_far from aggregate_results r;
    update outbox_events e
    set forgiven_up_to = results_so_far
    where not e.active and e.aggregate_id = new.aggregate_id and e.id < new.original_event_id
      and new.event_type = '!' || e.event_type;
    update outbox_events e
    set status = 'PENDING', status_changed_at = now(), next_retry_at = now(), retry_count = 0, deaths = 0
    where e.id = new.original_event_id and e.status = 'FAILED';
    perform pg_notify('outbox_events_channel', '');
    return new;
end
$$;

create trigger hand_back_cancel before update of status on dead_letter_events
    for each row when (old.status = 'FAILED' and new.status = 'PENDING' and left(new.event_type, 1) = '!')
    execute function hand_back_cancel();

-- Puts an event in, within the caller's transaction, and returns its id. Where an active event has the
-- key already, nothing is inserted and that event's id comes back.
create function outbox_emit(aggregate_id text, event_type text, payloads jsonb,
                            idempotency_key text default null, not_before timestamptz default null)
returns bigint language plpgsql set search_path from current as $$
#variable_conflict use_column
declare
    wanted_key text := coalesce($4, $1 || ':' || $2);
    found_id   bigint;
begin
    if $1 is null or $2 is null or $3 is null then
        raise exception 'outbox_emit: aggregate_id, event_type and payloads must not be null'
            using errcode = 'null_value_not_allowed';
    end if;
    for i in 1..10 loop
        insert into outbox_events as e (aggregate_id, event_type, payloads, idempotency_key, next_retry_at)
        values ($1, $2, $3, wanted_key, $5)
        on conflict (idempotency_key) where active and idempotency_key is not null do nothing
        returning e.id into found_id;
        if found_id is not null then
            return found_id;
        end if;
        select e.id into found_id from outbox_events e
        where e.active and e.idempotency_key = wanted_key;
        if found_id is not null then
            return found_id;
        end if;
        -- It ended in between: insert again.
    end loop;
    raise exception 'outbox_emit: the event with key % keeps changing; try again', wanted_key
        using errcode = 'serialization_failure';
end
$$;
