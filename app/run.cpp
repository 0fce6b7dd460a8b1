#include "app/api_host.hpp"
#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/observers.hpp"
#include "app/reloader.hpp"
#include "app/schema.hpp"
#include "app/signals.hpp"
#include "app/systemd.hpp"
#include "app/wiring.hpp"
#include "base/log.hpp"
#include "engine/relay.hpp"
#include "engine/watcher.hpp"

#include <algorithm>
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
              const Observers& observers, Reloader& reloader)
{
    Api api = ApiHost::start(settings, database_url, observers,
                             [&reloader] { return reloader.reload(); });
    if (api) {
        reloader.attach(api->get());
        log::info("http", "the API answers on {} port {}", settings.http.address, (*api)->port());
    }
    return api;
}

/// Waits for a signal, at most until a service manager is to hear from us, or the port is to be
/// looked at again.
Signals::What wait(Signals& signals, const Systemd& systemd, bool has_port)
{
    std::optional<std::chrono::milliseconds> limit = systemd.pulse();
    if (!has_port) {
        limit = std::min<std::chrono::milliseconds>(limit.value_or(port_recheck), port_recheck);
    }
    return limit ? signals.wait_for(*limit) : signals.wait();
}

} // namespace

int run(const std::string& file)
{
    Signals signals;
    const Systemd systemd;
    const std::optional<config::Settings> settings = load_or_explain(file);
    if (!settings) {
        return misuse;
    }
    log::hide(settings->secrets);
    log::configure(settings->log);
    const Result<DatabaseAtHand> database = database_at_hand(*settings, default_data_folder());
    if (!database) {
        std::cerr << database.error().text() << '\n';
        return failed;
    }
    engine::LogWatcher log_watcher;
    Observers observers(*settings, log_watcher);
    Reloader reloader(file, settings->plan, observers);
    Api api = serve_api(*settings, database->url, observers, reloader);
    if (!api && api.error().kind() == Fault::Kind::bad_input) {
        std::cerr << api.error().text() << '\n';
        return failed;
    }
    if (!api) {
        log::warning("http", "this relay works without an API until the port is free: {}",
                     api.error().text());
    }
    systemd.status("Waiting for the database");
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
    reloader.attach(&relay);
    if (api) {
        (*api)->watch(&relay);
    }
    log::info("relay", "started: {} workers, schema version {}", settings->relay.pool_size,
              (*migrated)->after);
    systemd.ready();
    for (;;) {
        const Signals::What what = wait(signals, systemd, api.has_value());
        if (systemd.pulse() && relay.standstill() < settings->health.stuck_after) {
            systemd.alive();
        }
        if (what == Signals::What::stop) {
            break;
        }
        if (what == Signals::What::reload) {
            systemd.reloading();
            static_cast<void>(reloader.reload()); // the log has what came of it
            systemd.ready();
        } else if (!api && (api = serve_api(*settings, database->url, observers, reloader))) {
            (*api)->watch(&relay);
        }
    }
    log::info("relay",
              "stopping: no new claims; calls under way have {} ms; a second signal stops "
              "now",
              settings->relay.shutdown_grace.count());
    systemd.stopping();
    Signals::let_the_next_one_kill();
    reloader.attach(static_cast<engine::Relay*>(nullptr));
    if (api) {
        (*api)->watch(nullptr);
    }
    relay.stop();
    log::info("relay", "stopped");
    return done;
}

} // namespace sagabox::app
