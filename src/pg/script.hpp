#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/task.hpp"

#include <optional>
#include <string>

namespace sagabox::pg {

class Session;

/// Runs text of several statements by the simple query protocol, which makes one transaction of
/// them, and leaves the session in pipeline mode again.
[[nodiscard]] Task<std::optional<Fault>> run_script(Session& session, std::string text,
                                                    Deadline deadline);

} // namespace sagabox::pg
