#pragma once

#include "app/once/scenario.hpp"
#include "app/once/stage.hpp"

#include <ostream>
#include <vector>

namespace sagabox::app::once {

/// Plays scenarios one after another and prints for each order what the stored rows say, and the
/// verdict. True only if each was played to its end and ended as it must.
[[nodiscard]] bool perform(const std::vector<Scenario>& scenarios, Stage& stage, std::ostream& out);

} // namespace sagabox::app::once
