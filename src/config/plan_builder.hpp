#pragma once

#include "config/reader.hpp"
#include "config/report.hpp"
#include "config/settings.hpp"

namespace sagabox::config {

/// Turns a file's values into settings and a plan, and reports what only the whole can show. Usable
/// only where `report` has stayed empty.
[[nodiscard]] Settings build_settings(const Node& root, const Environment& environment,
                                      Report& report);

} // namespace sagabox::config
