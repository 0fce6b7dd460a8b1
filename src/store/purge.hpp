#pragma once

#include "base/fault.hpp"
#include "base/ids.hpp"
#include "base/task.hpp"
#include "pg/connection.hpp"

#include <chrono>
#include <cstdint>

namespace sagabox::store {

/// What one batch of a purge came to.
struct Purged {
    std::int64_t events = 0;
    std::int64_t results = 0;
    std::int64_t letters = 0;
    EventId last;      ///< where the next batch goes on
    bool over = false; ///< nothing behind it can be old enough
};

/// Deletes what ended at least `retention` ago among the next `rows` events after `above`, in one
/// transaction, with its results and letters. Age counts from the end, not from the creation.
///
/// Keeps events whose letter waits for a person or is at work, events of an aggregate that has
/// work to do, and events whose mail is still stored. Passes over rows that somebody has locked.
[[nodiscard]] Task<Result<Purged>> purge_events(pg::Connection& connection,
                                                std::chrono::milliseconds retention, EventId above,
                                                int rows, Deadline deadline);

} // namespace sagabox::store
