#pragma once

#include "api/database.hpp"
#include "api/router.hpp"

#include <functional>
#include <string>

namespace sagabox::api {

/// How the relay of this process fares.
struct RelayState {
    bool started = false;
    bool database_up = false; ///< every worker could reach the database at its last try
    bool listening = false;   ///< hears NOTIFY; without it, events are found at poll speed
};

/// `/healthz`: the process answers. `/readyz`: it can do its work.
void add_health_routes(Router& router, Database& database, std::function<RelayState()> relay,
                       std::string version);

} // namespace sagabox::api
