#pragma once

#include "api/router.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sagabox::api {

/// What came of reading the configuration anew.
struct Reloaded {
    std::string file; ///< empty: this program was started without one
    std::vector<std::string>
        problems; ///< a line each, without secrets; empty: the new one is in force
};

/// `POST /api/reload`: as `SIGHUP`, with an answer. `reload` may be called from several threads at
/// once.
void add_reload_route(Router& router, std::function<Reloaded()> reload);

} // namespace sagabox::api
