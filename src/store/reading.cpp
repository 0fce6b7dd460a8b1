#include "store/reading.hpp"

#include "base/invariant.hpp"

#include <string>
#include <string_view>

namespace sagabox::store {

namespace {

constexpr std::string_view revert_suffix = ".revert";

} // namespace

DbTime read_time(const pg::Rows& rows, std::size_t row, std::size_t column)
{
    return {std::chrono::microseconds(rows.integer(row, column))};
}

json::Value read_json(const pg::Rows& rows, std::size_t row, std::size_t column)
{
    if (rows.is_null(row, column)) {
        return {};
    }
    return json::parse(rows.text(row, column)).value_or(json::Value{});
}

core::Event read_event(const pg::Rows& rows, std::size_t row)
{
    core::Event event;
    event.id = {rows.integer(row, 0)};
    event.aggregate_id = rows.text(row, 1);
    event.type = rows.text(row, 2);
    event.payloads = read_json(rows, row, 3);
    event.uuid = rows.text(row, 4);
    event.traceparent = rows.text(row, 5);
    event.created_at = read_time(rows, row, 6);
    const auto status = core::event_status(rows.text(row, 7));
    SAGABOX_INVARIANT(status.has_value(), "the schema admits no other status");
    event.status = *status;
    event.retry_count = static_cast<int>(rows.integer(row, 8));
    event.run = static_cast<int>(rows.integer(row, 9));
    event.deaths = static_cast<int>(rows.integer(row, 10));
    return event;
}

core::StepResult read_result(const pg::Rows& rows, std::size_t row)
{
    core::StepResult result;
    result.event_id = {rows.integer(row, 0)};
    result.id = {rows.integer(row, 1)};
    result.cause = {rows.integer(row, 2)};

    std::string_view destination = rows.text(row, 3);
    if (destination.ends_with(revert_suffix)) {
        destination.remove_suffix(revert_suffix.size());
        result.direction = core::Direction::revert;
    }
    result.destination = destination;
    result.fanout_order = static_cast<int>(rows.integer(row, 4));
    result.route = static_cast<int>(rows.integer(row, 5));
    result.run = static_cast<int>(rows.integer(row, 6));
    result.attempt = static_cast<int>(rows.integer(row, 7));

    const auto outcome = core::outcome(rows.text(row, 8));
    SAGABOX_INVARIANT(outcome.has_value(), "the schema admits no other outcome");
    result.outcome = *outcome;
    result.endpoint_url = rows.text(row, 9);
    result.http_method = rows.text(row, 10);
    result.request = read_json(rows, row, 11);
    if (!rows.is_null(row, 12)) {
        result.response_status = static_cast<int>(rows.integer(row, 12));
    }
    if (!rows.is_null(row, 13)) {
        result.response = read_json(rows, row, 13);
    }
    result.error = rows.text(row, 14);
    result.duration = std::chrono::milliseconds(rows.integer(row, 15));
    result.published_at = read_time(rows, row, 16);
    if (!rows.is_null(row, 17)) {
        result.retry_after = std::chrono::milliseconds(rows.integer(row, 17));
    }
    result.interrupted = static_cast<int>(rows.integer(row, 18));
    return result;
}

} // namespace sagabox::store
