-- name: listen
-- New events and letters given back; both with an empty payload: a notification is a wake-up, not a message.
listen outbox_events_channel
