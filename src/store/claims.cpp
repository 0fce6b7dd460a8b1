#include "store/claims.hpp"

#include "base/invariant.hpp"
#include "store/reading.hpp"

#include <set>
#include <utility>

#include "sql.hpp"

namespace sagabox::store {

namespace {

/// Columns of the statements that take events, in their order.
enum EventColumn : std::size_t {
    highest,
    seen,
    lowest,
    candidates,
    last_candidate,
    now_us,
    id,
    claim_no,
    aggregate_id,
    event_type,
    payloads,
    event_uuid,
    traceparent,
    created_us,
    retry_count,
    run,
    deaths,
    forgiven_up_to,
    cancel_waiting,
    oldest_running, ///< only of claim_ready
    next_to_run,
};

Held read_event(const pg::Rows& rows, std::size_t row)
{
    Held held;
    held.lease = {Lease::On::event, rows.integer(row, id),
                  static_cast<int>(rows.integer(row, claim_no))};
    held.forgiven_up_to = rows.integer(row, forgiven_up_to);

    core::Event& event = held.saga.own.event;
    event.id = {rows.integer(row, id)};
    event.aggregate_id = rows.text(row, aggregate_id);
    event.type = rows.text(row, event_type);
    event.payloads = read_json(rows, row, payloads);
    event.uuid = rows.text(row, event_uuid);
    event.traceparent = rows.text(row, traceparent);
    event.created_at = read_time(rows, row, created_us);
    event.status = core::EventStatus::PROCESSING;
    event.run = static_cast<int>(rows.integer(row, run));
    event.deaths = static_cast<int>(rows.integer(row, deaths));
    event.retry_count = static_cast<int>(rows.integer(row, retry_count));
    if (core::is_cancellation(event.type)) {
        held.saga.errand = core::Cancellation{};
    } else {
        held.saga.errand = core::Forward{rows.boolean(row, cancel_waiting)};
    }
    return held;
}

Claimed read_events(const pg::Rows& rows)
{
    Claimed claimed;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        claimed.now = read_time(rows, row, now_us);
        claimed.highest = rows.integer(row, highest);
        claimed.seen = rows.integer(row, seen);
        claimed.candidates = rows.integer(row, candidates);
        claimed.last_candidate = rows.integer(row, last_candidate);
        claimed.lowest = rows.integer(row, lowest);
        if (rows.columns() > next_to_run) {
            claimed.oldest_running = rows.integer(row, oldest_running);
            claimed.next_to_run = rows.integer(row, next_to_run);
        }
        if (!rows.is_null(row, id)) {
            claimed.held.push_back(read_event(rows, row));
        }
    }
    return claimed;
}

Claimed read_letters(const pg::Rows& rows)
{
    Claimed claimed;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        claimed.now = read_time(rows, row, 0);
        Held held;
        held.lease = {Lease::On::letter, rows.integer(row, 1),
                      static_cast<int>(rows.integer(row, 2))};
        held.saga.own.event.id = {rows.integer(row, 3)};
        const auto reason = core::letter_reason(rows.text(row, 4));
        SAGABOX_INVARIANT(reason.has_value(), "the schema admits no other reason");
        held.saga.errand = core::Compensation{{rows.integer(row, 1)},
                                              *reason,
                                              static_cast<int>(rows.integer(row, 5)),
                                              static_cast<int>(rows.integer(row, 6))};
        held.forgiven_up_to = rows.integer(row, 7);
        held.waited = true;
        claimed.held.push_back(std::move(held));
    }
    return claimed;
}

} // namespace

Claims::Claims(std::string owner, std::chrono::milliseconds lease, Order order)
    : owner_(std::move(owner)), lease_(lease), order_(order)
{
}

Task<Result<Claimed>> Claims::ready(pg::Connection& connection, Window window, int limit,
                                    Deadline deadline) const
{
    pg::Query query{order_ == Order::aggregate ? sql::claim_ready : sql::claim_ready_unordered, {}};
    query.params.text(owner_)
        .integer(limit)
        .integer(window.above)
        .integer(window.rows)
        .integer(lease_.count())
        .text(window.take_expired ? "t" : "f");
    Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(std::move(rows.error()));
    }
    co_return read_events(*rows);
}

Task<Result<Claimed>> Claims::heads(pg::Connection& connection, std::vector<std::string> aggregates,
                                    Deadline deadline) const
{
    pg::Query query{sql::claim_heads, {}};
    query.params.text(owner_).texts(aggregates).integer(lease_.count());
    Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(std::move(rows.error()));
    }
    co_return read_events(*rows);
}

Task<Result<Claimed>> Claims::due(pg::Connection& connection, int limit, bool take_expired,
                                  Deadline deadline) const
{
    pg::Query query{sql::claim_due, {}};
    query.params.text(owner_)
        .integer(limit)
        .integer(lease_.count())
        .text(order_ == Order::aggregate ? "t" : "f")
        .text(take_expired ? "t" : "f");
    Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(std::move(rows.error()));
    }
    Claimed claimed = read_events(*rows);
    for (Held& held : claimed.held) {
        held.waited = true;
    }
    co_return claimed;
}

Task<Result<Claimed>> Claims::letters(pg::Connection& connection, int limit, bool take_expired,
                                      Deadline deadline) const
{
    pg::Query query{sql::claim_letters, {}};
    query.params.text(owner_).integer(limit).integer(lease_.count()).text(take_expired ? "t" : "f");
    Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(std::move(rows.error()));
    }
    co_return read_letters(*rows);
}

Task<Result<void>> Claims::cancel_waiting(pg::Connection& connection, std::vector<EventId> events,
                                          Deadline deadline) const
{
    std::vector<std::int64_t> ids;
    for (const EventId event : events) {
        ids.push_back(event.value);
    }
    pg::Query query{sql::cancel_waiting, {}};
    query.params.integers(ids);
    Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(std::move(rows.error()));
    }
    co_return Result<void>{};
}

Task<Result<Renewal>> Claims::renew(pg::Connection& connection, std::vector<Lease> leases,
                                    Deadline deadline) const
{
    constexpr Lease::On kinds[] = {Lease::On::event, Lease::On::letter};
    std::vector<pg::Query> queries;
    for (const Lease::On on : kinds) {
        std::vector<std::int64_t> ids, claims;
        for (const Lease& lease : leases) {
            if (lease.on == on) {
                ids.push_back(lease.id);
                claims.push_back(lease.claim_no);
            }
        }
        pg::Query query{on == Lease::On::event ? sql::renew_events : sql::renew_letters, {}};
        query.params.text(owner_).integers(ids).integers(claims).integer(lease_.count());
        queries.push_back(std::move(query));
    }
    Result<std::vector<pg::Rows>> rows = co_await connection.transact(std::move(queries), deadline);
    if (!rows) {
        co_return fail(std::move(rows.error()));
    }
    Renewal renewal;
    std::set<Lease> ours;
    for (std::size_t i = 0; i < rows->size(); ++i) {
        const pg::Rows& of_kind = (*rows)[i];
        for (std::size_t row = 0; row < of_kind.size(); ++row) {
            const Lease lease{kinds[i], of_kind.integer(row, 0),
                              static_cast<int>(of_kind.integer(row, 1))};
            ours.insert(lease);
            if (of_kind.boolean(row, 2)) {
                renewal.renewed.push_back(lease);
            }
        }
    }
    for (const Lease& lease : leases) {
        if (!ours.contains(lease)) {
            renewal.lost.push_back(lease);
        }
    }
    co_return renewal;
}

Task<Result<std::optional<std::chrono::microseconds>>> Claims::next_due(pg::Connection& connection,
                                                                        Deadline deadline) const
{
    pg::Query query{sql::find_next_due, {}};
    Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(std::move(rows.error()));
    }
    if (rows->empty() || rows->is_null(0, 0)) {
        co_return std::optional<std::chrono::microseconds>{};
    }
    co_return std::optional(std::chrono::microseconds(rows->integer(0, 0)));
}

} // namespace sagabox::store
