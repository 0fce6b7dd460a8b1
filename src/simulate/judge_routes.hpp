#pragma once

#include "simulate/finding_list.hpp"
#include "simulate/ways.hpp"

#include <vector>

namespace sagabox::simulate {

/// Adds what the ways through the routes show together: routes that no value reaches, and values
/// with which a step is passed over.
void judge_routes(const Steps& steps, const std::vector<Variable>& variables, const Ways& ways,
                  FindingList& found);

} // namespace sagabox::simulate
