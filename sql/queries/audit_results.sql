-- name: audit_results
-- Everything written down about some events, oldest first; the first columns are those of load_results.
-- $1 event ids
select r.event_id, r.id, coalesce(r.cause_event_id, r.event_id) as cause, r.destination, r.fanout_order, r.route, r.run,
       r.attempt, r.outcome, r.endpoint_url, r.http_method, r.request_payload, r.response_status, r.response_payload,
       r.error_message, r.duration_ms,
       (extract(epoch from greatest('1970-01-01Z', least(r.published_at, '9999-01-01Z'))) * 1000000)::bigint
           as published_us,
       r.retry_after_ms, r.interrupted,
       r.success <> (r.outcome = 'succeeded') as mislabelled
from aggregate_results r
where r.event_id = any ($1::bigint[])
order by r.id
