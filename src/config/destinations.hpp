#pragma once

#include "config/report.hpp"
#include "config/view.hpp"
#include "core/plan.hpp"

#include <optional>
#include <string>

namespace sagabox::config {

/// Builds one destination of `outbox.http.routes`. Reports what the declarations can't say: missing
/// or contradictory keys, a route that no event reaches, a placeholder that nothing fills. Nothing
/// comes back where a URL is missing or bad.
[[nodiscard]] std::optional<core::Destination> read_destination(const View& view, std::string name,
                                                                Report& report);

} // namespace sagabox::config
