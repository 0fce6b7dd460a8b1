#pragma once

#include "core/audit.hpp"
#include "core/plan.hpp"
#include "tests/sim/database.hpp"

#include <vector>

namespace sagabox::sim {

/// What `sagabox audit` would find in these tables. Nothing may be found, since nobody broke a
/// rule: this guards against false alarms, where the functional tests guard against deafness.
[[nodiscard]] std::vector<core::audit::Finding> audit(const core::Plan& plan,
                                                      const Database& database);

} // namespace sagabox::sim
