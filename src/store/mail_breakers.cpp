#include "store/mail.hpp"

#include "json/value.hpp"

#include <utility>

#include "sql.hpp"

namespace sagabox::store {

Task<Result<void>> open_breaker(pg::Connection& connection, std::string provider, int failures,
                                std::string last_error, std::chrono::milliseconds open_for,
                                Deadline deadline)
{
    pg::Query query{sql::open_mail_breaker, {}};
    query.params.text(provider)
        .integer(failures)
        .text(json::to_storable_text(last_error))
        .integer(open_for.count());
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    co_return Result<void>{};
}

Task<Result<bool>> claim_probe(pg::Connection& connection, std::string provider,
                               std::chrono::milliseconds open_for, Deadline deadline)
{
    pg::Query query{sql::claim_mail_probe, {}};
    query.params.text(provider).integer(open_for.count());
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    co_return rows->boolean(0, 0);
}

Task<Result<void>> close_breaker(pg::Connection& connection, std::string provider,
                                 Deadline deadline)
{
    pg::Query query{sql::close_mail_breaker, {}};
    query.params.text(provider);
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    co_return Result<void>{};
}

} // namespace sagabox::store
