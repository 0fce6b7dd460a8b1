#pragma once

#include "config/declarations.hpp"

namespace sagabox::config {

/// What those who operate a relay set: when it counts as healthy, and what it tells of itself.
extern const Section health_section;
extern const Section metrics_section;

} // namespace sagabox::config
