#pragma once

#include "pg/connection.hpp"

namespace sagabox::pg {

/// What each session is told before anything else, as one statement.
///
/// Behind a pooler (`Prepare::never`) the next transaction may run on another server session, so
/// the settings are then made for one transaction and sent along with each.
[[nodiscard]] Query session_settings(const Options& options);

/// The same, for one transaction, as text that can stand before a script.
[[nodiscard]] std::string session_settings_text(const Options& options);

} // namespace sagabox::pg
