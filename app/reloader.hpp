#pragma once

#include "api/reload_route.hpp"
#include "app/api_host.hpp"
#include "app/observers.hpp"
#include "core/plan.hpp"
#include "engine/relay.hpp"

#include <memory>
#include <mutex>
#include <string>

namespace sagabox::app {

/// Reads the configuration file anew, on `SIGHUP` or by the API, and puts it in force everywhere at
/// once. A file with problems changes nothing. Thread-safe.
class Reloader {
public:
    /// `observers` must outlive this.
    Reloader(std::string file, std::shared_ptr<const core::Plan> plan, Observers& observers)
        : file_(std::move(file)), plan_(std::move(plan)), observers_(observers)
    {
    }
    Reloader(const Reloader&) = delete;
    Reloader& operator=(const Reloader&) = delete;

    /// From now on these are told, and they are told of the plan in force at once; null: nobody.
    void attach(engine::Relay* relay);
    void attach(ApiHost* api);

    [[nodiscard]] api::Reloaded reload();

private:
    const std::string file_;
    std::mutex mutex_;
    std::shared_ptr<const core::Plan> plan_;
    Observers& observers_;
    engine::Relay* relay_ = nullptr;
    ApiHost* api_ = nullptr;
};

} // namespace sagabox::app
