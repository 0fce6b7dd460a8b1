#pragma once

#include "config/report.hpp"
#include "config/view.hpp"
#include "core/plan.hpp"

#include <string_view>
#include <vector>

namespace sagabox::config {

/// Reports what is wrong between parts of `outbox.http`: a fan-out that names an unknown
/// destination, and a `previousDestination` whose answer can't be there when it is asked for, or is
/// not kept. `built_in` are destinations that need no route.
void check_references(const View& calls, const core::Plan& plan, Report& report,
                      std::vector<std::string_view> built_in);

} // namespace sagabox::config
