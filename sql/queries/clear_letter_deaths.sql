-- name: clear_letter_deaths
-- Something was written down for these letters: their lost workers no longer count. $1 owner, $2 ids, $3 claim numbers
update dead_letter_events d
set deaths = 0
where d.id = any ($2::bigint[])
  and d.claim_no = ($3::int[])[array_position($2::bigint[], d.id)]
  and d.lease_owner = $1::text
  and d.status = 'PROCESSING'
returning d.id
