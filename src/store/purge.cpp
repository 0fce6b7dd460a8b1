#include "store/purge.hpp"

#include <utility>

#include "sql.hpp"

namespace sagabox::store {

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

} // namespace sagabox::store
