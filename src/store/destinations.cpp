#include "store/destinations.hpp"

#include "json/value.hpp"

#include <utility>

#include "sql.hpp"

namespace sagabox::store {

namespace {

Task<Result<void>> run(pg::Connection& connection, pg::Query query, Deadline deadline)
{
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    co_return Result<void>{};
}

} // namespace

Task<Result<void>> add_destination(pg::Connection& connection, std::string name, Deadline deadline)
{
    pg::Query query{sql::add_destination, {}};
    query.params.text(name);
    co_return co_await run(connection, std::move(query), deadline);
}

Task<Result<PassAnswer>> pass_destination(pg::Connection& connection, PassAsk ask,
                                          Deadline deadline)
{
    pg::Query query{sql::pass_destination, {}};
    query.params.text(ask.destination)
        .integer(ask.gap.count())
        .integer(ask.waiting)
        .integer(ask.others)
        .integer(ask.horizon.count())
        .integer(ask.back_gap.count());
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    if (rows->empty()) {
        co_return fail(Fault::Kind::bad_input,
                       "outbox_destinations has no row for " + ask.destination);
    }
    PassAnswer answer;
    answer.to_waiting = static_cast<int>(rows->integer(0, 0));
    answer.to_others = static_cast<int>(rows->integer(0, 1));
    answer.first_in = std::chrono::microseconds(rows->integer(0, 2));
    answer.back_in = std::chrono::microseconds(rows->integer(0, 3));
    answer.shut_for = std::chrono::microseconds(rows->integer(0, 4));
    answer.now = DbTime{std::chrono::microseconds(rows->integer(0, 5))};
    if (!rows->is_null(0, 6)) {
        answer.open_until = DbTime{std::chrono::microseconds(rows->integer(0, 6))};
    }
    answer.why = rows->text(0, 7);
    co_return answer;
}

Task<Result<void>> hold_destination(pg::Connection& connection, std::string name,
                                    std::chrono::milliseconds hold, std::string why,
                                    Deadline deadline)
{
    pg::Query query{sql::hold_destination, {}};
    query.params.text(name).integer(hold.count()).text(json::to_storable_text(why));
    co_return co_await run(connection, std::move(query), deadline);
}

Task<Result<void>> open_destination_breaker(pg::Connection& connection, std::string name,
                                            int failures, std::string why,
                                            std::chrono::milliseconds open_for, Deadline deadline)
{
    pg::Query query{sql::open_destination_breaker, {}};
    query.params.text(name)
        .integer(failures)
        .text(json::to_storable_text(why))
        .integer(open_for.count());
    co_return co_await run(connection, std::move(query), deadline);
}

Task<Result<Probe>> claim_destination_probe(pg::Connection& connection, std::string name,
                                            std::chrono::milliseconds open_for, Deadline deadline)
{
    pg::Query query{sql::claim_destination_probe, {}};
    query.params.text(name).integer(open_for.count());
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    const bool mine = rows->boolean(0, 0);
    const bool open = rows->boolean(0, 1);
    co_return mine ? Probe::mine : (open ? Probe::taken : Probe::closed);
}

Task<Result<void>> close_destination_breaker(pg::Connection& connection, std::string name,
                                             Deadline deadline)
{
    pg::Query query{sql::close_destination_breaker, {}};
    query.params.text(name);
    co_return co_await run(connection, std::move(query), deadline);
}

std::vector<ShutDestination> read_shut_destinations(const pg::Rows& rows)
{
    std::vector<ShutDestination> shut;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        ShutDestination& one = shut.emplace_back();
        one.name = rows.text(row, 0);
        one.state = rows.text(row, 1);
        one.until = DbTime{std::chrono::microseconds(rows.integer(row, 2))};
        one.failures = static_cast<int>(rows.integer(row, 3));
        one.why = rows.text(row, 4);
    }
    return shut;
}

Task<Result<std::vector<ShutDestination>>> list_destinations(pg::Connection& connection,
                                                             Deadline deadline)
{
    pg::Query query{sql::list_destinations, {}};
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    co_return read_shut_destinations(*rows);
}

} // namespace sagabox::store
