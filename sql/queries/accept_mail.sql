-- name: accept_mail
-- Checks a message, stores it and emits its event; or says what is wrong with it. $1 the message as JSON
select faults, id, correlation_id, status, repeated
from email_accept($1::jsonb)
