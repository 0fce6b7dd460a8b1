-- name: check_settled
-- Whether changes of status whose commit was not confirmed took effect: the claim is still ours by its number, and over.
-- $1 event ids, $2 their claim numbers, $3 letter ids, $4 their claim numbers
select 'event' as of, e.id
from outbox_events e
where e.id = any ($1::bigint[])
  and e.claim_no = ($2::int[])[array_position($1::bigint[], e.id)] and e.status <> 'PROCESSING'
union all
select 'letter', d.id
from dead_letter_events d
where d.id = any ($3::bigint[])
  and d.claim_no = ($4::int[])[array_position($3::bigint[], d.id)] and d.status <> 'PROCESSING'
