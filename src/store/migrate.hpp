#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/task.hpp"
#include "pg/connection.hpp"

#include <string>
#include <vector>

namespace sagabox::store {

/// What a migration run found and did.
struct Migrated {
    int before = 0; ///< schema version found; 0: an empty schema
    int after = 0;
    std::vector<std::string> applied;
};

/// Brings the schema up to this program's version, each migration in a transaction of its own. Safe
/// when several processes start at once: they take turns. Fails, changing nothing, on a schema that
/// is newer than the program.
[[nodiscard]] Task<Result<Migrated>> migrate(Executor executor, pg::Options options,
                                             Deadline deadline);

} // namespace sagabox::store
