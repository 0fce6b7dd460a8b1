-- name: count_mail
-- How many messages have each status, and from how many rows that was added up.
select status, sum(messages)::bigint, count(*)
from email_counts
group by status
