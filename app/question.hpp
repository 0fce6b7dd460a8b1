#pragma once

#include "api/database.hpp"
#include "app/blocking.hpp"
#include "app/wiring.hpp"
#include "base/ids.hpp"
#include "pg/connection.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace sagabox::app {

/// One of the store's questions.
template <class T>
using Question = std::function<Task<Result<T>>(pg::Connection&, Deadline)>;

template <class T>
Task<Result<T>> put_question(Executor executor, pg::Options options, Question<T> question)
{
    const Deadline deadline = Deadline::after(std::chrono::seconds(10));
    Result<std::unique_ptr<pg::Connection>> connection =
        co_await pg::Connection::open(executor, std::move(options), deadline);
    if (!connection) {
        co_return fail(std::move(connection.error()));
    }
    co_return co_await question(**connection, deadline);
}

/// Asks the database that a configuration names, and waits for its answer on this thread. Sessions
/// are set up as the API's are, since the questions are the same.
template <class T>
Result<T> ask_database(const config::Settings& settings, Question<T> question)
{
    const Result<DatabaseAtHand> database = database_at_hand(settings, default_data_folder());
    if (!database) {
        return fail(database.error());
    }
    asio::io_context context;
    return run_blocking(
        context, put_question<T>(context.get_executor(),
                                 api::reading_session(database_options(settings, database->url)),
                                 std::move(question)));
}

/// The same for one of the store's questions about one event.
template <class T>
Result<T> ask_about(const config::Settings& settings, EventId event,
                    Task<Result<T>> (*query)(pg::Connection&, EventId, Deadline))
{
    return ask_database<T>(settings, [event, query](pg::Connection& connection, Deadline deadline) {
        return query(connection, event, deadline);
    });
}

} // namespace sagabox::app
