#pragma once

#include "api/router.hpp"

#include <functional>
#include <string>

namespace sagabox::api {

/// `/metrics`: a page in Prometheus' text format, made by `page`, which may be called from several
/// threads at once and must not wait for the database.
void add_metrics_route(Router& router, std::function<std::string()> page);

} // namespace sagabox::api
