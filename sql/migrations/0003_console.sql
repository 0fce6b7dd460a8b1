-- What a person did with a dead letter: who closed it, when and why. And an index for what waits for a person, by a
-- generated column for the reason that 0001 gives: a claim of a letter stays a HOT update.

alter table dead_letter_events
    add column resolution_note text,
    add column resolved_by     text,
    add column resolved_at     timestamptz,
    add column failed          bool generated always as (status = 'FAILED') stored;

create index letters_failed on dead_letter_events (id) where failed;
