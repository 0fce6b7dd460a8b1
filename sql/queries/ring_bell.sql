-- name: ring_bell
-- Rings for every listener: by it one learns whether it hears at all.
select pg_notify('outbox_events_channel', '')
