#pragma once

#include "api/database.hpp"
#include "api/router.hpp"
#include "engine/destination_watch.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace sagabox::api {

/// How the relay of this process fares.
struct RelayState {
    bool started = false;
    bool database_up = false; ///< every worker could claim at its last try
    bool listening = false;   ///< hears NOTIFY; without it, events are found at poll speed
    std::chrono::milliseconds standstill{0}; ///< for so long a worker has done nothing at all
    std::vector<engine::DestinationWatch::Failing> failing; ///< bring nothing but failures
};

/// What is still healthy.
struct HealthLimits {
    std::chrono::milliseconds max_age{std::chrono::minutes(15)};
    std::chrono::milliseconds destination_down_after{std::chrono::minutes(5)};
    std::chrono::milliseconds stuck_after{std::chrono::seconds(30)};
};

/// `/healthz`: the process is not stuck, so there is no use in starting it anew. `/readyz`: events
/// are delivered; where not, its body names every reason.
void add_health_routes(Router& router, Database& database, std::function<RelayState()> relay,
                       HealthLimits limits, std::string version);

} // namespace sagabox::api
