#pragma once

#include "base/fault.hpp"

#include <filesystem>

namespace sagabox::pg {

/// The folder that holds `postgres` and `initdb`: `SAGABOX_PG_BIN`, else the first in `PATH`, else
/// the newest of Debian's.
[[nodiscard]] Result<std::filesystem::path> find_server_programs();

} // namespace sagabox::pg
