-- name: insert_results
-- Writes down calls and their answers, each only while its writer still holds the lease.
-- $1 owner; then one array for each column: $2 event, $3 aggregate, $4 type, $5 destination, $6 URL, $7 method,
-- $8 request, $9 status, $10 response, $11 duration in ms, $12 outcome, $13 error, $14 fan-out order, $15 attempt,
-- $16 cause, $17 route, $18 run, $19 retry-after in ms, $20 interrupted; $21 letter (null: the lease is on the
-- cause), $22 claim number
--
-- The fence is read at the statement's snapshot and not locked: a takeover that commits in between lets through
-- a true record of a call that was made, never a change of status.
insert into aggregate_results (
    event_id, aggregate_id, event_type, destination, endpoint_url, http_method, request_payload,
    response_status, response_payload, duration_ms, success, outcome, error_message, fanout_order, attempt,
    cause_event_id, route, run, retry_after_ms, interrupted)
select r.event_id, r.aggregate_id, r.event_type, r.destination, r.endpoint_url, r.http_method,
       r.request_payload::jsonb, r.response_status, r.response_payload::jsonb, r.duration_ms,
       r.outcome = 'succeeded', r.outcome, r.error_message, r.fanout_order, r.attempt,
       nullif(r.cause, r.event_id), r.route, r.run, r.retry_after_ms, r.interrupted
from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
            $9::int[], $10::text[], $11::int[], $12::text[], $13::text[], $14::int[], $15::int[],
            $16::bigint[], $17::int[], $18::int[], $19::bigint[], $20::int[], $21::bigint[], $22::int[])
     as r (event_id, aggregate_id, event_type, destination, endpoint_url, http_method, request_payload,
           response_status, response_payload, duration_ms, outcome, error_message, fanout_order, attempt,
           cause, route, run, retry_after_ms, interrupted, letter, claim_no)
where case
          when r.letter is null then
              (select true from outbox_events e
               where e.id = r.cause and e.claim_no = r.claim_no and e.lease_owner = $1::text
                 and e.status = 'PROCESSING')
          else
              (select true from dead_letter_events d
               where d.id = r.letter and d.claim_no = r.claim_no and d.lease_owner = $1::text
                 and d.status = 'PROCESSING')
      end
returning id, event_id, coalesce(cause_event_id, event_id) as cause, destination,
          (extract(epoch from published_at) * 1000000)::bigint as published_us
