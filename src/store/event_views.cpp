#include "store/event_views.hpp"

#include "base/invariant.hpp"
#include "store/history.hpp"
#include "store/reading.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sql.hpp"

namespace sagabox::store {

namespace {

std::optional<DbTime> read_optional_time(const pg::Rows& rows, std::size_t row, std::size_t column)
{
    if (rows.is_null(row, column)) {
        return std::nullopt;
    }
    return read_time(rows, row, column);
}

/// The columns that all statements on events share, from `first` on.
EventView read_view(const pg::Rows& rows, std::size_t row, std::size_t first)
{
    EventView event;
    event.id = {rows.integer(row, first)};
    event.aggregate_id = rows.text(row, first + 1);
    event.type = rows.text(row, first + 2);
    const auto status = core::event_status(rows.text(row, first + 3));
    SAGABOX_INVARIANT(status.has_value(), "the schema admits no other status");
    event.status = *status;
    event.created_at = read_time(rows, row, first + 4);
    event.status_changed_at = read_time(rows, row, first + 5);
    event.retry_count = static_cast<int>(rows.integer(row, first + 6));
    event.next_retry_at = read_optional_time(rows, row, first + 7);
    event.last_error = rows.text(row, first + 8);
    event.moved_to_dlq = rows.boolean(row, first + 9);
    event.run = static_cast<int>(rows.integer(row, first + 10));
    return event;
}

bool is_active(const EventFilter& filter)
{
    return filter.status == core::EventStatus::PENDING ||
           filter.status == core::EventStatus::PROCESSING;
}

pg::Query query_for(const EventFilter& filter, std::int64_t limit, bool by_id)
{
    const pg::Statement* statement = &sql::list_events;
    if (!filter.aggregate_id.empty()) {
        statement = &sql::list_aggregate_events;
    } else if (is_active(filter) && !by_id) {
        statement = &sql::list_active_events;
    }
    const bool all = !filter.status && filter.type.empty();
    pg::Query query{*statement, {}};
    query.params.integer(filter.before.value_or(std::numeric_limits<std::int64_t>::max()))
        .integer(limit)
        .integer(all ? limit : most_rows_of_a_page);
    filter.status ? query.params.text(core::to_label(*filter.status)) : query.params.null();
    filter.type.empty() ? query.params.null() : query.params.text(filter.type);
    if (!filter.aggregate_id.empty()) {
        query.params.text(filter.aggregate_id);
    }
    return query;
}

Page<EventView> read_page(const pg::Rows& rows, std::size_t limit)
{
    Page<EventView> page;
    for (std::size_t row = 0; row < rows.size() && !rows.is_null(row, 2); ++row) {
        page.items.push_back(read_view(rows, row, 2));
    }
    if (page.items.size() == limit) {
        page.next = page.items.back().id.value;
    } else if (!rows.empty() && !rows.is_null(0, 0)) {
        page.next = rows.integer(0, 0);
    }
    return page;
}

} // namespace

Task<Result<Page<EventView>>> list_events(pg::Connection& connection, EventFilter filter,
                                          Deadline deadline)
{
    const auto limit = static_cast<std::size_t>(std::clamp(filter.limit, 1, most_items_of_a_page));
    const auto wanted = static_cast<std::int64_t>(limit);
    pg::Query query = query_for(filter, wanted, false);
    Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (rows && !rows->empty() && rows->boolean(0, 1)) {
        // More wait for their moment than may be sorted: what is among the latest is shown.
        pg::Query by_id = query_for(filter, wanted, true);
        rows = co_await connection.run(std::move(by_id), deadline);
    }
    if (!rows) {
        co_return fail(rows.error());
    }
    co_return read_page(*rows, limit);
}

Task<Result<std::optional<EventDetail>>> get_event(pg::Connection& connection, EventId event,
                                                   Deadline deadline)
{
    pg::Query query{sql::get_event, {}};
    query.params.integer(event.value);
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    if (rows->empty()) {
        co_return std::optional<EventDetail>{};
    }
    EventDetail detail;
    detail.event = read_view(*rows, 0, 0);
    detail.idempotency_key = rows->text(0, 11);
    detail.uuid = rows->text(0, 12);
    detail.lease_owner = rows->text(0, 13);
    detail.lease_expires_at = read_optional_time(*rows, 0, 14);
    detail.deaths = static_cast<int>(rows->integer(0, 15));
    detail.now = read_time(*rows, 0, 16);
    if (!rows->is_null(0, 17)) {
        detail.email = rows->integer(0, 17);
    }

    // Read as a letter's event is read: by id, with its row and all its results. A cancel's targets
    // come along where its errand is to cancel.
    const bool cancels = core::is_cancellation(detail.event.type);
    std::vector<Held> held(cancels ? 2 : 1);
    held[0].lease.on = Lease::On::letter;
    held[0].saga.own.event.id = event;
    held[0].saga.errand = core::Compensation{};
    if (cancels) {
        held[1].saga.own.event.id = event;
        held[1].saga.errand = core::Cancellation{};
    }
    const Result<void> read = co_await load_histories(connection, held, deadline);
    if (!read) {
        co_return fail(read.error());
    }
    detail.history = std::move(held[0].saga.own);
    if (cancels) {
        detail.targets = std::move(std::get<core::Cancellation>(held[1].saga.errand).targets);
    }
    Result<std::optional<LetterView>> letter = co_await find_letter_of(connection, event, deadline);
    if (!letter) {
        co_return fail(letter.error());
    }
    detail.letter = std::move(*letter);
    co_return std::optional(std::move(detail));
}

} // namespace sagabox::store
