#include "app/api_host.hpp"
#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/schema.hpp"
#include "app/signals.hpp"
#include "app/wiring.hpp"
#include "base/log.hpp"
#include "engine/relay.hpp"
#include "engine/watcher.hpp"

#include <iostream>

namespace sagabox::app {

namespace {

void reload(const std::string& file, engine::Relay& relay, ApiHost& api)
{
    const config::Loaded loaded = config::load_file(file);
    if (!loaded.settings) {
        for (const config::Problem& problem : loaded.problems) {
            log::error("config", "{}: {}", problem.place, problem.text);
        }
        log::error("config", "{} was not reloaded; what was in force stays in force", file);
        return;
    }
    log::hide(loaded.settings->secrets);
    relay.reload(loaded.settings->plan);
    api.reload(loaded.settings->plan);
    log::info(
        "config",
        "{} reloaded: routes, fan-outs, retries and outcomes are in force; database, http and "
        "the relay's own settings are at the next start",
        file);
}

} // namespace

int run(const std::string& file)
{
    Signals signals;
    const std::optional<config::Settings> settings = load_or_explain(file);
    if (!settings) {
        return misuse;
    }
    log::hide(settings->secrets);
    const Result<DatabaseAtHand> database = database_at_hand(*settings, default_data_folder());
    if (!database) {
        std::cerr << database.error().text() << '\n';
        return failed;
    }
    const Result<std::unique_ptr<ApiHost>> api = ApiHost::start(*settings, database->url);
    if (!api) {
        std::cerr << api.error().text() << '\n';
        return failed;
    }
    log::info("http", "the API answers on {} port {}", settings->http.address, (*api)->port());
    const Result<std::optional<store::Migrated>> migrated =
        migrate_when_reachable(database_options(*settings, database->url), signals);
    if (!migrated) {
        std::cerr << migrated.error().text() << '\n';
        return failed;
    }
    if (!*migrated) {
        return done;
    }

    engine::LogWatcher watcher;
    engine::Relay relay(relay_options(*settings, database->url), settings->plan, watcher);
    relay.start();
    (*api)->watch(&relay);
    log::info("relay", "started: {} workers, schema version {}", settings->relay.pool_size,
              (*migrated)->after);
    for (;;) {
        if (signals.wait() == Signals::What::stop) {
            break;
        }
        reload(file, relay, **api);
    }
    log::info("relay",
              "stopping: no new claims; calls under way have {} ms; a second signal stops "
              "now",
              settings->relay.shutdown_grace.count());
    Signals::let_the_next_one_kill();
    (*api)->watch(nullptr);
    relay.stop();
    log::info("relay", "stopped");
    return done;
}

} // namespace sagabox::app
