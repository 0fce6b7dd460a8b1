#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/task.hpp"
#include "pg/connection.hpp"
#include "store/destinations.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sagabox::store {

/// So many rows with the same two labels.
struct Count {
    std::string status;
    std::string of; ///< event type, or reason
    std::int64_t count = 0;
};

/// Counts from a bounded look.
struct Counts {
    std::vector<Count> counts;
    bool exact = true; ///< the look came to the end: these are all that there are
};

/// How the outbox fares. Costs the same at any number of events: whole tables are never counted.
struct Overview {
    Counts active;                   ///< events that wait or are worked on
    Counts ended;                    ///< of the latest events those that have ended
    std::int64_t latest = 0;         ///< how many events that last look took in at most
    std::int64_t estimated_rows = 0; ///< of the whole table, as PostgreSQL last estimated it
    std::optional<std::chrono::microseconds> oldest_pending; ///< age of the oldest that is due
    Counts letters;                                          ///< by reason
    std::vector<ShutDestination> left_alone;
};

[[nodiscard]] Task<Result<Overview>> read_overview(pg::Connection& connection, Deadline deadline);

/// The schema's version: whether the database answers at all.
[[nodiscard]] Task<Result<int>> find_schema_version(pg::Connection& connection, Deadline deadline);

/// What can be asked every second.
struct Vitals {
    int schema_version = 0;
    std::optional<std::chrono::microseconds> oldest_pending; ///< as in `Overview`
};
[[nodiscard]] Task<Result<Vitals>> read_vitals(pg::Connection& connection, Deadline deadline);

} // namespace sagabox::store
