#pragma once

#include "config/report.hpp"
#include "config/view.hpp"
#include "core/plan.hpp"

#include <optional>

namespace sagabox::config {

/// Builds a revert, and reports each placeholder that no `extract` fills. The `retryAfter` and
/// `sign` of `route` hold where the revert has none of its own.
[[nodiscard]] std::optional<core::Revert> read_revert(const View& view, const core::Route& route,
                                                      Report& report);

} // namespace sagabox::config
