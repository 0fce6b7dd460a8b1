-- name: clear_event_deaths
-- Something was written down for these events: their lost workers no longer count. $1 owner, $2 ids, $3 claim numbers
update outbox_events e
set deaths = 0
where e.id = any ($2::bigint[])
  and e.claim_no = ($3::int[])[array_position($2::bigint[], e.id)]
  and e.lease_owner = $1::text
  and e.status = 'PROCESSING'
returning e.id
