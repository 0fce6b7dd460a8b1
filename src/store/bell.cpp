#include "store/bell.hpp"

#include <utility>
#include <vector>

#include "sql.hpp"

namespace sagabox::store::bell {

namespace {

constexpr std::string_view lock_not_available = "55P03";

} // namespace

Task<Result<void>> listen(pg::Connection& connection, Deadline deadline)
{
    for (const pg::Statement& statement : {sql::listen, sql::listen_letters}) {
        pg::Query query{statement, {}};
        const Result<pg::Rows> done = co_await connection.run(std::move(query), deadline);
        if (!done) {
            co_return fail(done.error());
        }
    }
    co_return Result<void>{};
}

Task<Result<void>> ring(pg::Connection& connection, Deadline deadline)
{
    pg::Query query{sql::ring_bell, {}};
    const Result<pg::Rows> done = co_await connection.run(std::move(query), deadline);
    if (!done) {
        co_return fail(done.error());
    }
    co_return Result<void>{};
}

Task<Result<bool>> lock(pg::Connection& connection, Deadline deadline)
{
    pg::Query query{sql::sleep_lock, {}};
    const Result<pg::Rows> done = co_await connection.run(std::move(query), deadline);
    if (done) {
        co_return true;
    }
    if (done.error().code() == lock_not_available) {
        co_return false;
    }
    co_return fail(done.error());
}

Task<Result<void>> unlock(pg::Connection& connection, Deadline deadline)
{
    pg::Query query{sql::sleep_unlock, {}};
    const Result<pg::Rows> done = co_await connection.run(std::move(query), deadline);
    if (!done) {
        co_return fail(done.error());
    }
    co_return Result<void>{};
}

Task<Result<Ring>> wait(pg::Connection& connection, Deadline deadline)
{
    const Result<std::optional<pg::Notification>> heard =
        co_await connection.wait_notification(deadline);
    if (!heard) {
        co_return fail(heard.error());
    }
    if (!*heard) {
        co_return Ring::silence;
    }
    co_return (*heard)->channel == "dlq_events_channel" ? Ring::letters : Ring::events;
}

} // namespace sagabox::store::bell
