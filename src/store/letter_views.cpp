#include "store/letter_views.hpp"

#include "base/invariant.hpp"
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

/// The columns that all statements on letters share, from `first` on.
LetterView read_letter(const pg::Rows& rows, std::size_t row, std::size_t first)
{
    LetterView letter;
    letter.id = {rows.integer(row, first)};
    letter.event = {rows.integer(row, first + 1)};
    letter.aggregate_id = rows.text(row, first + 2);
    letter.type = rows.text(row, first + 3);
    const auto reason = core::letter_reason(rows.text(row, first + 4));
    const auto status = core::letter_status(rows.text(row, first + 5));
    SAGABOX_INVARIANT(status.has_value() && reason.has_value(), "the schema admits no other label");
    letter.reason = *reason;
    letter.status = *status;
    letter.created_at = read_optional_time(rows, row, first + 6);
    letter.failed_at = read_time(rows, row, first + 7);
    letter.status_changed_at = read_time(rows, row, first + 8);
    letter.retry_count = static_cast<int>(rows.integer(row, first + 9));
    letter.last_error = rows.text(row, first + 10);
    letter.revert_retry_count = static_cast<int>(rows.integer(row, first + 11));
    letter.revert_error = rows.text(row, first + 12);
    letter.next_retry_at = read_optional_time(rows, row, first + 13);
    if (!rows.is_null(row, first + 16)) {
        letter.resolution =
            Resolution{std::string(rows.text(row, first + 14)),
                       std::string(rows.text(row, first + 15)), read_time(rows, row, first + 16)};
    }
    return letter;
}

const pg::Statement& statement_for(const LetterFilter& filter)
{
    if (filter.status == core::LetterStatus::FAILED) {
        return sql::list_failed_letters;
    }
    if (filter.status == core::LetterStatus::PENDING ||
        filter.status == core::LetterStatus::PROCESSING) {
        return sql::list_active_letters;
    }
    return sql::list_letters;
}

} // namespace

Task<Result<Page<LetterView>>> list_letters(pg::Connection& connection, LetterFilter filter,
                                            Deadline deadline)
{
    const auto limit = static_cast<std::size_t>(std::clamp(filter.limit, 1, most_items_of_a_page));
    const bool all = !filter.status && !filter.reason;
    pg::Query query{statement_for(filter), {}};
    query.params.integer(filter.before.value_or(std::numeric_limits<std::int64_t>::max()))
        .integer(static_cast<std::int64_t>(limit))
        .integer(all ? static_cast<std::int64_t>(limit) : most_rows_of_a_page);
    filter.status ? query.params.text(core::to_label(*filter.status)) : query.params.null();
    filter.reason ? query.params.text(core::to_label(*filter.reason)) : query.params.null();
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    Page<LetterView> page;
    for (std::size_t row = 0; row < rows->size() && !rows->is_null(row, 1); ++row) {
        page.items.push_back(read_letter(*rows, row, 1));
    }
    if (page.items.size() == limit) {
        page.next = page.items.back().id.value;
    } else if (!rows->empty() && !rows->is_null(0, 0)) {
        page.next = rows->integer(0, 0);
    }
    co_return page;
}

Task<Result<std::optional<LetterDetail>>> get_letter(pg::Connection& connection, LetterId letter,
                                                     Deadline deadline)
{
    pg::Query query{sql::get_letter, {}};
    query.params.integer(letter.value);
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    if (rows->empty()) {
        co_return std::optional<LetterDetail>{};
    }
    LetterDetail detail;
    detail.letter = read_letter(*rows, 0, 0);
    detail.payloads = read_json(*rows, 0, 17);
    co_return std::optional(std::move(detail));
}

Task<Result<std::optional<LetterView>>> find_letter_of(pg::Connection& connection, EventId event,
                                                       Deadline deadline)
{
    pg::Query query{sql::find_letter_of_event, {}};
    query.params.integer(event.value);
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    if (rows->empty()) {
        co_return std::optional<LetterView>{};
    }
    co_return std::optional(read_letter(*rows, 0, 0));
}

} // namespace sagabox::store
