#include "store/traffic.hpp"

#include "store/reading.hpp"

#include <utility>

#include "sql.hpp"

namespace sagabox::store {

namespace {

constexpr std::int64_t results_to_look_at = 10'000;

CallFigures read_figures(const pg::Rows& rows, std::size_t row)
{
    CallFigures figures;
    figures.calls = rows.integer(row, 4);
    figures.succeeded = rows.integer(row, 5);
    figures.rejected = rows.integer(row, 6);
    figures.unknown = rows.integer(row, 7);
    // A call that was written without its duration has none to count.
    if (!rows.is_null(row, 8)) {
        figures.p50 = std::chrono::milliseconds(rows.integer(row, 8));
        figures.p95 = std::chrono::milliseconds(rows.integer(row, 9));
        figures.slowest = std::chrono::milliseconds(rows.integer(row, 10));
    }
    return figures;
}

} // namespace

Task<Result<Traffic>> read_traffic(pg::Connection& connection, Deadline deadline)
{
    pg::Query query{sql::summarize_calls, {}};
    query.params.integer(results_to_look_at)
        .integer(traffic_span.count())
        .integer(traffic_slot.count());
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    Traffic traffic;
    for (std::size_t row = 0; row < rows->size(); ++row) {
        traffic.now = read_time(*rows, row, 0);
        traffic.since = read_time(*rows, row, 1);
        if (rows->is_null(row, 2)) {
            continue;
        }
        DestinationTraffic& destination = traffic.destinations[std::string(rows->text(row, 2))];
        if (rows->is_null(row, 3)) {
            destination.whole = read_figures(*rows, row);
        } else {
            destination.slots.emplace(rows->integer(row, 3), read_figures(*rows, row));
        }
    }
    co_return traffic;
}

} // namespace sagabox::store
