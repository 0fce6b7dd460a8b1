#pragma once

#include "config/declarations.hpp"

namespace sagabox::config {

/// What those who operate a relay set: when it counts as healthy, what it tells of itself, and whom
/// it may connect to.
extern const Section health_section;
extern const Section metrics_section;
extern const Section log_section;
extern const Section log_levels_section;
extern const Section network_section;

} // namespace sagabox::config
