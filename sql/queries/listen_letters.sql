-- name: listen_letters
-- Letters that a person gives back.
listen dlq_events_channel
