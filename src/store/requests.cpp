#include "store/requests.hpp"

#include "store/history.hpp"

#include <utility>
#include <vector>

#include "sql.hpp"

namespace sagabox::store {

Task<Result<std::optional<core::History>>> find_history(pg::Connection& connection, EventId event,
                                                        Deadline deadline)
{
    // Read as a letter's event is read: by id, with its row and all its results.
    std::vector<Held> held(1);
    held[0].lease.on = Lease::On::letter;
    held[0].saga.own.event.id = event;
    held[0].saga.errand = core::Compensation{};
    const Result<void> read = co_await load_histories(connection, held, deadline);
    if (!read) {
        co_return fail(read.error());
    }
    if (held[0].saga.own.event.uuid.empty()) {
        co_return std::optional<core::History>{};
    }
    co_return std::optional(std::move(held[0].saga.own));
}

Task<Result<std::optional<AskedCancel>>> ask_cancel(pg::Connection& connection, EventId event,
                                                    Deadline deadline)
{
    pg::Query query{sql::emit_cancel, {}};
    query.params.integer(event.value);
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    if (rows->empty()) {
        co_return std::optional<AskedCancel>{};
    }
    AskedCancel asked;
    asked.id = {rows->integer(0, 0)};
    asked.event_type = rows->text(0, 1);
    asked.aggregate_id = rows->text(0, 2);
    co_return std::optional(std::move(asked));
}

} // namespace sagabox::store
