-- name: add_destination
-- Makes sure that a destination has its row. $1 destination
insert into outbox_destinations (name) values ($1::text) on conflict (name) do nothing
