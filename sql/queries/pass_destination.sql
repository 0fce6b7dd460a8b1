-- name: pass_destination
-- Gives calls to a destination their moments, as many as fit, and the others a time to come back.
-- $1 destination, $2 microseconds from one call to the next (0: no rate), $3 calls whose events came back from
-- waiting, $4 calls of others, $5 how far ahead moments are given, in microseconds, $6 microseconds from one event
-- that comes back to the next
--
-- Moments are handed out one after the other under the row's lock, so that all relays together keep the rate. While
-- anybody waits, those who come first for the first time go to the end of the line: a destination that is asked for
-- more than it may be called would otherwise never get to those who wait.
--
-- The clock is read when the lock is held: a statement that has waited for it would be given moments that are past.
with destination as materialized (
    select d.name, d.next_call, d.parked_until, d.open_until, d.held_until, d.last_error
    from outbox_destinations d
    where d.name = $1::text
    for update
), seen as materialized (
    select d.name, d.next_call, d.parked_until, d.open_until, d.last_error, clock_timestamp() as now,
           coalesce(greatest(d.open_until, d.held_until), '-infinity') as shut_until
    from destination d
), judged as materialized (
    select s.name, s.now, s.open_until, s.last_error, s.shut_until, f.first, w.to_waiting, o.to_others, l.free_from,
           $3::bigint + $4::bigint - w.to_waiting - o.to_others as parked,
           greatest(s.parked_until, l.free_from, s.shut_until, s.now) as back_from
    from seen s
    cross join lateral (select greatest(s.next_call, s.now) as first) f
    cross join lateral (
        select case when s.shut_until > s.now then 0
                    when $2::bigint = 0 then $3::bigint + $4::bigint
                    else greatest(0, floor(extract(epoch from s.now + $5::bigint * interval '1 microsecond' - f.first)
                                           * 1000000 / $2::bigint)::bigint + 1)
               end as room
    ) r
    cross join lateral (select least($3::bigint, r.room) as to_waiting) w
    cross join lateral (
        select case when $2::bigint > 0 and s.parked_until > s.now then 0
                    else least($4::bigint, r.room - w.to_waiting)
               end as to_others
    ) o
    cross join lateral (
        select f.first + (w.to_waiting + o.to_others) * $2::bigint * interval '1 microsecond' as free_from
    ) l
)
update outbox_destinations d
set next_call = case when $2::bigint > 0 then s.free_from else d.next_call end,
    parked_until = case when s.parked > 0 then s.back_from + s.parked * $6::bigint * interval '1 microsecond'
                        else d.parked_until end
from judged s
where d.name = s.name
returning s.to_waiting, s.to_others,
          (extract(epoch from s.first - s.now) * 1000000)::bigint as first_in_us,
          (extract(epoch from s.back_from - s.now) * 1000000)::bigint as back_in_us,
          case when s.shut_until > s.now then (extract(epoch from s.shut_until - s.now) * 1000000)::bigint else 0 end
              as shut_for_us,
          (extract(epoch from s.now) * 1000000)::bigint as now_us,
          (extract(epoch from s.open_until) * 1000000)::bigint as open_until_us,
          coalesce(s.last_error, '') as last_error
