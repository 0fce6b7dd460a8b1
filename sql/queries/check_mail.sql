-- name: check_mail
-- Everything that is wrong with a message, and nothing else. $1 the message as JSON
select email_faults_as_json($1::jsonb)
