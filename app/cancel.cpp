#include "app/blocking.hpp"
#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/wiring.hpp"
#include "store/requests.hpp"

#include <chrono>
#include <iostream>
#include <utility>

namespace sagabox::app {

namespace {

using Asked = Result<std::optional<store::AskedCancel>>;

Task<Asked> ask(Executor executor, pg::Options options, EventId event)
{
    const Deadline deadline = Deadline::after(std::chrono::seconds(10));
    Result<std::unique_ptr<pg::Connection>> connection =
        co_await pg::Connection::open(executor, std::move(options), deadline);
    if (!connection) {
        co_return fail(std::move(connection.error()));
    }
    co_return co_await store::ask_cancel(**connection, event, deadline);
}

} // namespace

int cancel(const std::string& file, std::int64_t event)
{
    const std::optional<config::Settings> settings = load_or_explain(file);
    if (!settings) {
        return misuse;
    }
    const Result<DatabaseAtHand> database = database_at_hand(*settings, default_data_folder());
    if (!database) {
        std::cerr << database.error().text() << '\n';
        return failed;
    }
    asio::io_context context;
    const Asked asked =
        run_blocking(context, ask(context.get_executor(),
                                  database_options(*settings, database->url), EventId{event}));
    if (!asked) {
        std::cerr << asked.error().text() << '\n';
        return failed;
    }
    if (!*asked) {
        std::cerr << "there is no event " << event
                  << " that could be cancelled (a cancel itself can't "
                  << "be): look for its id in outbox_events\n";
        return failed;
    }
    std::cout << "event " << (*asked)->id.value << ' ' << (*asked)->event_type << " of "
              << (*asked)->aggregate_id << ": a running relay undoes what event " << event
              << " did, last step first\n";
    return done;
}

} // namespace sagabox::app
