#include "app/api_host.hpp"
#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/observers.hpp"
#include "app/schema.hpp"
#include "app/signals.hpp"
#include "app/wiring.hpp"
#include "base/log.hpp"
#include "engine/relay.hpp"
#include "engine/watcher.hpp"

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

namespace sagabox::app {

namespace {

constexpr std::chrono::seconds port_recheck{2};

using Api = Result<std::unique_ptr<ApiHost>>;

/// Starts the API where its port can be had. Another relay of this machine may have it, on the same
/// configuration: that one answers for both, and this one takes over when it ends.
Api serve_api(const config::Settings& settings, const std::string& database_url,
              const Observers& observers)
{
    Api api = ApiHost::start(settings, database_url, observers);
    if (api) {
        log::info("http", "the API answers on {} port {}", settings.http.address, (*api)->port());
    }
    return api;
}

/// The new plan; a null pointer where the file is no good.
std::shared_ptr<const core::Plan> reload(const std::string& file, engine::Relay& relay,
                                         Observers& observers, ApiHost* api)
{
    const config::Loaded loaded = config::load_file(file);
    if (!loaded.settings) {
        for (const config::Problem& problem : loaded.problems) {
            log::error("config", "{}: {}", problem.place, problem.text);
        }
        log::error("config", "{} was not reloaded; what was in force stays in force", file);
        return nullptr;
    }
    log::hide(loaded.settings->secrets);
    observers.reload(*loaded.settings->plan);
    relay.reload(loaded.settings->plan);
    if (api != nullptr) {
        api->reload(loaded.settings->plan);
    }
    log::info(
        "config",
        "{} reloaded: routes, fan-outs, retries and outcomes are in force; database, http and "
        "the relay's own settings are at the next start",
        file);
    return loaded.settings->plan;
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
    engine::LogWatcher log_watcher;
    Observers observers(*settings, log_watcher);
    Api api = serve_api(*settings, database->url, observers);
    if (!api && api.error().kind() == Fault::Kind::bad_input) {
        std::cerr << api.error().text() << '\n';
        return failed;
    }
    if (!api) {
        log::warning("http", "this relay works without an API until the port is free: {}",
                     api.error().text());
    }
    const Result<std::optional<store::Migrated>> migrated =
        migrate_when_reachable(database_options(*settings, database->url), signals);
    if (!migrated) {
        std::cerr << migrated.error().text() << '\n';
        return failed;
    }
    if (!*migrated) {
        return done;
    }

    engine::Relay relay(relay_options(*settings, database->url), settings->plan,
                        observers.watcher());
    relay.start();
    if (api) {
        (*api)->watch(&relay);
    }
    log::info("relay", "started: {} workers, schema version {}", settings->relay.pool_size,
              (*migrated)->after);
    std::shared_ptr<const core::Plan> plan = settings->plan;
    for (;;) {
        const Signals::What what = api ? signals.wait() : signals.wait_for(port_recheck);
        if (what == Signals::What::stop) {
            break;
        }
        if (what == Signals::What::reload) {
            if (auto next = reload(file, relay, observers, api ? api->get() : nullptr)) {
                plan = std::move(next);
            }
        } else if (api = serve_api(*settings, database->url, observers); api) {
            (*api)->reload(plan);
            (*api)->watch(&relay);
        }
    }
    log::info("relay",
              "stopping: no new claims; calls under way have {} ms; a second signal stops "
              "now",
              settings->relay.shutdown_grace.count());
    Signals::let_the_next_one_kill();
    if (api) {
        (*api)->watch(nullptr);
    }
    relay.stop();
    log::info("relay", "stopped");
    return done;
}

} // namespace sagabox::app
