#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/ids.hpp"
#include "base/task.hpp"
#include "core/saga.hpp"
#include "pg/connection.hpp"

#include <optional>
#include <string>

namespace sagabox::store {

/// An event with everything written down about it; nothing where there is no such event. Its status
/// and its letter's are the stored ones.
[[nodiscard]] Task<Result<std::optional<core::History>>>
find_history(pg::Connection& connection, EventId event, Deadline deadline);

/// A cancel that was asked for.
struct AskedCancel {
    EventId id;
    std::string event_type;
    std::string aggregate_id;
};

/// Asks for the undoing of what an event did; nothing where there is no such event, or where it is
/// a cancel itself. While a cancel of the same aggregate and type is active, that one comes back.
[[nodiscard]] Task<Result<std::optional<AskedCancel>>> ask_cancel(pg::Connection& connection,
                                                                  EventId event, Deadline deadline);

} // namespace sagabox::store
