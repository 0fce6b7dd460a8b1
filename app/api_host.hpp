#pragma once

#include "api/api.hpp"
#include "app/observers.hpp"
#include "base/fault.hpp"
#include "config/settings.hpp"
#include "engine/relay.hpp"
#include "http/server.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sagabox::app {

/// What the API is told about a configuration, and about the relay of this process.
[[nodiscard]] api::Api::Options api_options(const config::Settings& settings,
                                            const std::string& database_url,
                                            const Observers& observers,
                                            std::function<api::RelayState()> relay);

/// How a relay fares; null: there is none just now.
[[nodiscard]] api::RelayState relay_state(const engine::Relay* relay,
                                          const engine::DestinationWatch& watch);

/// Body limits of single paths, for the server: an e-mail may bring attachments.
[[nodiscard]] std::vector<std::pair<std::string, std::size_t>>
body_limits(const config::Settings& settings);

/// The API on a port of its own, as `run` serves it. Answers from its start on, before the database
/// can be reached.
class ApiHost {
public:
    /// The fault says why the port can't be had, and the cure. `observers` must outlive the host.
    [[nodiscard]] static Result<std::unique_ptr<ApiHost>>
    start(const config::Settings& settings, const std::string& database_url,
          const Observers& observers, std::function<api::Reloaded()> reload);
    ~ApiHost();
    ApiHost(const ApiHost&) = delete;
    ApiHost& operator=(const ApiHost&) = delete;

    /// From now on `/readyz` tells of this relay; null: there is none any more.
    void watch(const engine::Relay* relay) { relay_ = relay; }

    void reload(std::shared_ptr<const core::Plan> plan) { api_->reload(std::move(plan)); }

    [[nodiscard]] std::uint16_t port() const { return server_->port(); }

private:
    ApiHost() = default;

    std::atomic<const engine::Relay*> relay_{nullptr};
    std::unique_ptr<api::Api> api_;
    std::unique_ptr<http::Server> server_; ///< last: it ends first
};

} // namespace sagabox::app
