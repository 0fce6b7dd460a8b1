#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/task.hpp"
#include "pg/connection.hpp"
#include "store/lease.hpp"

#include <vector>

namespace sagabox::store {

/// Reads what is written down about sagas just taken: their own results, and for a cancel the
/// events that it undoes with theirs. Safe to repeat after a fault.
[[nodiscard]] Task<Result<void>> load_histories(pg::Connection& connection, std::vector<Held>& held,
                                                Deadline deadline);

} // namespace sagabox::store
