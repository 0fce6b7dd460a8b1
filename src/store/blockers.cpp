#include "store/blockers.hpp"

#include "sql.hpp"

namespace sagabox::store {

Task<Result<std::optional<Blockers>>> find_blockers(pg::Connection& connection, EventId event,
                                                    bool ordered, Deadline deadline)
{
    pg::Query query{sql::find_blockers, {}};
    query.params.integer(event.value).text(ordered ? "t" : "f");
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    if (rows->empty()) {
        co_return std::optional<Blockers>{};
    }
    Blockers found;
    if (!rows->is_null(0, 0)) {
        found.event = Blockers::Before{EventId{rows->integer(0, 0)}, std::string(rows->text(0, 1)),
                                       std::string(rows->text(0, 2))};
    }
    if (!rows->is_null(0, 3)) {
        found.letter =
            Blockers::LetterBefore{LetterId{rows->integer(0, 3)}, EventId{rows->integer(0, 4)},
                                   std::string(rows->text(0, 5))};
    }
    found.workers = rows->integer(0, 6);
    co_return std::optional<Blockers>(std::move(found));
}

} // namespace sagabox::store
