#pragma once

#include <string>

namespace sagabox::core {

/// A status as a person knows it: `503 Service Unavailable`; the bare number where it has no name.
[[nodiscard]] std::string status_text(int status);

} // namespace sagabox::core
