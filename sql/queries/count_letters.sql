-- name: count_letters
-- Dead letters by status and reason: of those that are at work or wait for a person, as many as the bound allows; of
-- the others those among the latest. $1 rows to look at of each kind. The first column, the same in every row, says
-- whether these are all.
with latest as materialized (
    select d.id from dead_letter_events d where d.id < 9223372036854775807 order by d.id desc limit $1::bigint
),
looked as materialized (
    select l.id from latest l
    union
    (select d.id from dead_letter_events d where d.active order by d.id limit $1::bigint)
    union
    (select d.id from dead_letter_events d where d.failed order by d.id limit $1::bigint)
),
counted as materialized (
    select d.status, d.reason, count(*) as letters
    from looked l
    join dead_letter_events d on d.id = l.id
    group by d.status, d.reason
)
select (select count(*) from latest) < $1::bigint as exact, c.status, c.reason, c.letters
from (select 1) one
left join counted c on true
order by c.status, c.reason
