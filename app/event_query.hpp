#pragma once

#include "app/blocking.hpp"
#include "app/wiring.hpp"
#include "base/ids.hpp"
#include "pg/connection.hpp"

#include <chrono>
#include <memory>
#include <utility>

namespace sagabox::app {

/// One of the store's questions about one event.
template <class T>
using EventQuery = Task<Result<T>> (*)(pg::Connection&, EventId, Deadline);

template <class T>
Task<Result<T>> ask_over_new_connection(Executor executor, pg::Options options, EventId event,
                                        EventQuery<T> query)
{
    const Deadline deadline = Deadline::after(std::chrono::seconds(10));
    Result<std::unique_ptr<pg::Connection>> connection =
        co_await pg::Connection::open(executor, std::move(options), deadline);
    if (!connection) {
        co_return fail(std::move(connection.error()));
    }
    co_return co_await query(**connection, event, deadline);
}

/// Asks the database that a configuration names, and waits for its answer on this thread.
template <class T>
Result<T> ask_about(const config::Settings& settings, EventId event, EventQuery<T> query)
{
    const Result<DatabaseAtHand> database = database_at_hand(settings, default_data_folder());
    if (!database) {
        return fail(database.error());
    }
    asio::io_context context;
    return run_blocking(context, ask_over_new_connection(context.get_executor(),
                                                         database_options(settings, database->url),
                                                         event, query));
}

} // namespace sagabox::app
