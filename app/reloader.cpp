#include "app/reloader.hpp"

#include "base/log.hpp"
#include "config/settings.hpp"

#include <fmt/format.h>

namespace sagabox::app {

void Reloader::attach(engine::Relay* relay)
{
    const std::scoped_lock lock(mutex_);
    relay_ = relay;
    if (relay_ != nullptr) {
        relay_->reload(plan_);
    }
}

void Reloader::attach(ApiHost* api)
{
    const std::scoped_lock lock(mutex_);
    api_ = api;
    if (api_ != nullptr) {
        api_->reload(plan_);
    }
}

api::Reloaded Reloader::reload()
{
    const std::scoped_lock lock(mutex_);
    api::Reloaded out{file_, {}};
    const config::Loaded loaded = config::load_file(file_);
    if (!loaded.settings) {
        for (const config::Problem& problem : loaded.problems) {
            log::error("config", "{}: {}", problem.place, problem.text);
            out.problems.push_back(fmt::format("{}: {}", problem.place, problem.text));
        }
        log::error("config", "{} was not reloaded; what was in force stays in force", file_);
        return out;
    }
    log::hide(loaded.settings->secrets);
    log::configure(loaded.settings->log);
    plan_ = loaded.settings->plan;
    observers_.reload(*plan_);
    if (relay_ != nullptr) {
        relay_->reload(plan_);
    }
    if (api_ != nullptr) {
        api_->reload(plan_);
    }
    log::info(
        "config",
        "{} reloaded: routes, fan-outs, retries, outcomes and the log are in force; database, "
        "http, network and the relay's own settings are at the next start",
        file_);
    return out;
}

} // namespace sagabox::app
