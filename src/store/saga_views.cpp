#include "store/saga_views.hpp"

#include "base/invariant.hpp"
#include "store/reading.hpp"

#include <map>
#include <string_view>
#include <utility>

#include "sql.hpp"

namespace sagabox::store {

namespace {

constexpr std::string_view revert_suffix = ".revert";

std::optional<DbTime> read_optional_time(const pg::Rows& rows, std::size_t row, std::size_t column)
{
    if (rows.is_null(row, column)) {
        return std::nullopt;
    }
    return read_time(rows, row, column);
}

EventView read_event_view(const pg::Rows& rows, std::size_t row)
{
    EventView event;
    event.id = {rows.integer(row, 0)};
    event.aggregate_id = rows.text(row, 1);
    event.type = rows.text(row, 2);
    const auto status = core::event_status(rows.text(row, 3));
    SAGABOX_INVARIANT(status.has_value(), "the schema admits no other status");
    event.status = *status;
    event.created_at = read_time(rows, row, 4);
    event.status_changed_at = read_time(rows, row, 5);
    event.retry_count = static_cast<int>(rows.integer(row, 6));
    event.next_retry_at = read_optional_time(rows, row, 7);
    event.last_error = rows.text(row, 8);
    event.moved_to_dlq = rows.boolean(row, 9);
    event.run = static_cast<int>(rows.integer(row, 10));
    return event;
}

SagaStep read_step(const pg::Rows& rows, std::size_t row)
{
    SagaStep step;
    std::string_view name = rows.text(row, 1);
    if (name.ends_with(revert_suffix)) {
        step.direction = core::Direction::revert;
        name.remove_suffix(revert_suffix.size());
    }
    step.destination = name;
    step.fanout_order = static_cast<int>(rows.integer(row, 2));
    const auto outcome = core::outcome(rows.text(row, 3));
    SAGABOX_INVARIANT(outcome.has_value(), "the schema admits no other outcome");
    step.outcome = *outcome;
    if (!rows.is_null(row, 4)) {
        step.response_status = static_cast<int>(rows.integer(row, 4));
    }
    step.attempts = static_cast<int>(rows.integer(row, 5));
    if (!rows.is_null(row, 6)) {
        step.duration = std::chrono::milliseconds(rows.integer(row, 6));
    }
    step.published_at = read_time(rows, row, 7);
    step.error = rows.text(row, 8);
    if (!rows.is_null(row, 9)) {
        step.cause = EventId{rows.integer(row, 9)};
    }
    return step;
}

SagaLetter read_letter(const pg::Rows& rows, std::size_t row)
{
    SagaLetter letter;
    letter.id = {rows.integer(row, 1)};
    const auto status = core::letter_status(rows.text(row, 2));
    const auto reason = core::letter_reason(rows.text(row, 3));
    SAGABOX_INVARIANT(status && reason, "the schema admits no other letter");
    letter.status = *status;
    letter.reason = *reason;
    letter.next_retry_at = read_optional_time(rows, row, 4);
    letter.revert_error = rows.text(row, 5);
    return letter;
}

pg::Query for_events(const pg::Statement& statement, const std::vector<std::int64_t>& ids)
{
    pg::Query query{statement, {}};
    query.params.integers(ids);
    return query;
}

} // namespace

Task<Result<Sagas>> load_sagas(pg::Connection& connection, std::vector<std::int64_t> events,
                               Deadline deadline)
{
    std::vector<pg::Query> queries;
    queries.push_back(for_events(sql::load_saga_events, events));
    queries.push_back(for_events(sql::load_saga_steps, events));
    queries.back().params.integer(most_results_of_a_saga);
    queries.push_back(for_events(sql::load_saga_letters, events));
    const Result<std::vector<pg::Rows>> rows =
        co_await connection.transact(std::move(queries), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    Sagas sagas;
    std::map<std::int64_t, std::size_t> places;
    const pg::Rows& found = (*rows)[0];
    for (std::size_t row = 0; row < found.size(); ++row) {
        sagas.now = read_time(found, row, 11);
        places.emplace(found.integer(row, 0), sagas.sagas.size());
        sagas.sagas.push_back({read_event_view(found, row), {}, std::nullopt});
    }
    // What a later snapshot shows of an event that was deleted in between has no place here.
    const pg::Rows& steps = (*rows)[1];
    for (std::size_t row = 0; row < steps.size(); ++row) {
        if (const auto place = places.find(steps.integer(row, 0)); place != places.end()) {
            sagas.sagas[place->second].steps.push_back(read_step(steps, row));
        }
    }
    const pg::Rows& letters = (*rows)[2];
    for (std::size_t row = 0; row < letters.size(); ++row) {
        if (const auto place = places.find(letters.integer(row, 0)); place != places.end()) {
            sagas.sagas[place->second].letter = read_letter(letters, row);
        }
    }
    co_return sagas;
}

} // namespace sagabox::store
