#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/task.hpp"
#include "pg/connection.hpp"

#include <cstdint>

namespace sagabox::store {

/// LISTEN/NOTIFY as a relay uses it. A NOTIFY at every commit would serialise all producers, so
/// they send one only while a relay sleeps, which it tells them by holding an advisory lock.
namespace bell {

enum class Ring : std::uint8_t { events, letters, silence };

[[nodiscard]] Task<Result<void>> listen(pg::Connection& connection, Deadline deadline);

/// Rings for every listener.
[[nodiscard]] Task<Result<void>> ring(pg::Connection& connection, Deadline deadline);

/// Takes the sleeper's lock; false when a producer's open transaction, or another relay that
/// sleeps, kept it from us for too long. From true on, every event that commits rings.
[[nodiscard]] Task<Result<bool>> lock(pg::Connection& connection, Deadline deadline);
[[nodiscard]] Task<Result<void>> unlock(pg::Connection& connection, Deadline deadline);

/// The next ring; `silence` at the deadline. Being cancelled leaves the connection as it is.
[[nodiscard]] Task<Result<Ring>> wait(pg::Connection& connection, Deadline deadline);

} // namespace bell

} // namespace sagabox::store
