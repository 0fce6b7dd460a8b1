#include "store/purge.hpp"

#include "store/mail.hpp"

#include <utility>

#include "sql.hpp"

namespace sagabox::store {

namespace {

constexpr int events_per_batch = 500;
constexpr int messages_per_batch = 100;

} // namespace

Task<Result<Purged>> purge_events(pg::Connection& connection, std::chrono::milliseconds retention,
                                  EventId above, int rows, Deadline deadline)
{
    pg::Query query{sql::purge_events, {}};
    query.params.integer(above.value).integer(rows).integer(retention.count());
    const Result<pg::Rows> answer = co_await connection.run(std::move(query), deadline);
    if (!answer) {
        co_return fail(answer.error());
    }
    Purged purged;
    purged.last = {answer->integer(0, 0)};
    purged.over = answer->integer(0, 1) < rows || answer->boolean(0, 2);
    purged.events = answer->integer(0, 3);
    purged.results = answer->integer(0, 4);
    purged.letters = answer->integer(0, 5);
    co_return purged;
}

Task<Result<void>> PurgeSweep::next(pg::Connection& connection, Deadline deadline)
{
    if (!at_events_) {
        const Result<int> batch = co_await purge_mail(
            connection, *kept_.messages, kept_.failed_messages, messages_per_batch, deadline);
        if (!batch) {
            co_return fail(batch.error());
        }
        deleted_.messages += *batch;
        at_events_ = *batch == 0;
        co_return Result<void>{};
    }
    const Result<Purged> batch =
        co_await purge_events(connection, kept_.events, last_.last, events_per_batch, deadline);
    if (!batch) {
        co_return fail(batch.error());
    }
    last_ = *batch;
    deleted_.events += batch->events;
    deleted_.results += batch->results;
    deleted_.letters += batch->letters;
    co_return Result<void>{};
}

} // namespace sagabox::store
