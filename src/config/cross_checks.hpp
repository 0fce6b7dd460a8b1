#pragma once

#include "config/report.hpp"
#include "config/view.hpp"

namespace sagabox::config {

/// Reports what is wrong between parts of `outbox.http`: a fan-out that names an unknown
/// destination, and a `previousDestination` whose answer can't be there when it is asked for.
void check_references(const View& calls, Report& report);

} // namespace sagabox::config
