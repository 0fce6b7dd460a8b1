#include "store/overview.hpp"

#include <utility>

#include "sql.hpp"

namespace sagabox::store {

namespace {

constexpr std::int64_t rows_to_look_at = 10'000;
constexpr std::int64_t rows_for_the_oldest = 1'000;

pg::Query bounded(const pg::Statement& statement, std::int64_t bound)
{
    pg::Query query{statement, {}};
    query.params.integer(bound);
    return query;
}

/// `exact` stands in the first column; status, the other label and the count from `first` on.
Counts read_counts(const pg::Rows& rows, std::size_t first)
{
    Counts counts;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        counts.exact = rows.boolean(row, 0);
        if (!rows.is_null(row, first)) {
            counts.counts.push_back({std::string(rows.text(row, first)),
                                     std::string(rows.text(row, first + 1)),
                                     rows.integer(row, first + 2)});
        }
    }
    return counts;
}

std::optional<std::chrono::microseconds> age_of(const pg::Rows& rows)
{
    if (rows.is_null(0, 0)) {
        return std::nullopt;
    }
    return std::chrono::microseconds(rows.integer(0, 0));
}

} // namespace

Task<Result<Overview>> read_overview(pg::Connection& connection, Deadline deadline)
{
    std::vector<pg::Query> queries;
    queries.push_back(bounded(sql::count_active_events, rows_to_look_at));
    queries.push_back(bounded(sql::count_ended_events, rows_to_look_at));
    queries.push_back(bounded(sql::find_oldest_pending, rows_for_the_oldest));
    queries.push_back(bounded(sql::count_letters, rows_to_look_at));
    queries.push_back({sql::list_destinations, {}});
    const Result<std::vector<pg::Rows>> rows =
        co_await connection.transact(std::move(queries), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    Overview overview;
    overview.active = read_counts((*rows)[0], 1);
    overview.ended = read_counts((*rows)[1], 2);
    overview.latest = rows_to_look_at;
    overview.estimated_rows = (*rows)[1].empty() ? 0 : (*rows)[1].integer(0, 1);
    overview.oldest_pending = age_of((*rows)[2]);
    overview.letters = read_counts((*rows)[3], 1);
    overview.left_alone = read_shut_destinations((*rows)[4]);
    co_return overview;
}

Task<Result<int>> find_schema_version(pg::Connection& connection, Deadline deadline)
{
    pg::Query query{sql::find_schema_version, {}};
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    co_return static_cast<int>(rows->integer(0, 0));
}

Task<Result<Vitals>> read_vitals(pg::Connection& connection, Deadline deadline)
{
    std::vector<pg::Query> queries;
    queries.push_back({sql::find_schema_version, {}});
    queries.push_back(bounded(sql::find_oldest_pending, rows_for_the_oldest));
    const Result<std::vector<pg::Rows>> rows =
        co_await connection.transact(std::move(queries), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    Vitals vitals;
    vitals.schema_version = static_cast<int>((*rows)[0].integer(0, 0));
    vitals.oldest_pending = age_of((*rows)[1]);
    co_return vitals;
}

} // namespace sagabox::store
