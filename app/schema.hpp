#pragma once

#include "app/signals.hpp"
#include "base/fault.hpp"
#include "pg/connection.hpp"
#include "store/migrate.hpp"

#include <optional>

namespace sagabox::app {

/// Migrates, once.
[[nodiscard]] Result<store::Migrated> migrate_once(const pg::Options& options);

/// Migrates as soon as the database can be reached, and says once that it can't be. Nothing when a
/// signal to stop came first; a fault where waiting would not help.
[[nodiscard]] Result<std::optional<store::Migrated>>
migrate_when_reachable(const pg::Options& options, Signals& signals);

} // namespace sagabox::app
