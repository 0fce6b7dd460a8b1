#include "store/mail.hpp"

#include <utility>

#include "sql.hpp"

namespace sagabox::store {

namespace {

/// Rows of counts that are worth adding up when a purge passes by anyway.
constexpr std::int64_t worth_folding = 1'000;

} // namespace

Task<Result<int>> purge_mail(pg::Connection& connection, std::chrono::milliseconds retention,
                             std::optional<std::chrono::milliseconds> failed_retention, int limit,
                             Deadline deadline)
{
    std::vector<pg::Query> queries(2);
    queries[0].statement = sql::purge_mail;
    queries[0].params.integer(retention.count());
    if (failed_retention) {
        queries[0].params.integer(failed_retention->count());
    } else {
        queries[0].params.null();
    }
    queries[0].params.integer(limit);
    queries[1].statement = sql::fold_mail_counts;
    queries[1].params.integer(worth_folding);
    const Result<std::vector<pg::Rows>> answers =
        co_await connection.transact(std::move(queries), deadline);
    if (!answers) {
        co_return fail(answers.error());
    }
    co_return static_cast<int>(answers->at(0).integer(0, 0));
}

} // namespace sagabox::store
