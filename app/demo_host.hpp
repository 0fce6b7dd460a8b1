#pragma once

#include "api/api.hpp"
#include "app/observers.hpp"
#include "base/fault.hpp"
#include "engine/relay.hpp"
#include "engine/watcher.hpp"
#include "http/server.hpp"
#include "pg/embedded.hpp"
#include "shop/shop.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace sagabox::app {

/// The demo's parts in one process: database, shop and simulated services behind one port, relay.
class DemoHost {
public:
    struct Options {
        std::uint16_t port = 9000; ///< 0: any free one
        std::filesystem::path data;
    };

    /// Starts everything; the fault says what could not be had, and the cure. `watcher` must
    /// outlive the host.
    [[nodiscard]] static Result<std::unique_ptr<DemoHost>> start(Options options,
                                                                 engine::Watcher& watcher);

    /// Stops in the order in which nothing is lost: relay, server, database.
    ~DemoHost();
    DemoHost(const DemoHost&) = delete;
    DemoHost& operator=(const DemoHost&) = delete;

    [[nodiscard]] std::uint16_t port() const;
    [[nodiscard]] const std::string& database_url() const;
    [[nodiscard]] const core::Plan& plan() const { return *plan_; }

private:
    DemoHost() = default;

    std::unique_ptr<pg::EmbeddedCluster> cluster_;
    std::unique_ptr<shop::Shop> shop_;
    std::unique_ptr<Observers> observers_;
    std::atomic<const engine::Relay*> watched_{nullptr}; ///< what `/readyz` tells of
    std::unique_ptr<api::Api> api_;
    std::unique_ptr<http::Server> server_;
    std::shared_ptr<const core::Plan> plan_;
    std::unique_ptr<engine::Relay> relay_;
};

} // namespace sagabox::app
