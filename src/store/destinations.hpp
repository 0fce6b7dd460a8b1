#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/task.hpp"
#include "pg/connection.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sagabox::store {

// What all relays know together of destinations that have limits.

/// Calls of one worker that want to leave for one destination.
struct PassAsk {
    std::string destination;
    std::chrono::microseconds gap{0};      ///< from one call to the next; 0: no rate
    std::chrono::microseconds back_gap{1}; ///< from one event that comes back to the next
    std::chrono::microseconds horizon{0};  ///< how far ahead a call may be given its moment
    int waiting = 0;                       ///< calls of events that came back from waiting
    int others = 0;
};

/// What the database says to that. Those not granted come back, `back_gap` apart, from `back_in`
/// on.
struct PassAnswer {
    int to_waiting = 0;                    ///< of `PassAsk::waiting`, granted
    int to_others = 0;                     ///< of `PassAsk::others`
    std::chrono::microseconds first_in{0}; ///< when the first may leave; the next: `gap` later
    std::chrono::microseconds back_in{0};  ///< when the first of the rest comes back
    std::chrono::microseconds shut_for{0}; ///< breaker open or told to wait; 0: neither
    std::optional<DbTime> open_until;      ///< of its breaker; past: ask `claim_destination_probe`
    std::string why;                       ///< what it was left alone for
    DbTime now;
};

/// Makes sure that a destination is known; the other calls do nothing for one that is not.
[[nodiscard]] Task<Result<void>> add_destination(pg::Connection& connection, std::string name,
                                                 Deadline deadline);

[[nodiscard]] Task<Result<PassAnswer>> pass_destination(pg::Connection& connection, PassAsk ask,
                                                        Deadline deadline);

/// It asked not to be called for a while; an earlier, longer wish stands.
[[nodiscard]] Task<Result<void>> hold_destination(pg::Connection& connection, std::string name,
                                                  std::chrono::milliseconds hold, std::string why,
                                                  Deadline deadline);

[[nodiscard]] Task<Result<void>>
open_destination_breaker(pg::Connection& connection, std::string name, int failures,
                         std::string why, std::chrono::milliseconds open_for, Deadline deadline);

/// Who makes the one call that shows whether it works again, once its breaker's time is over.
enum class Probe : std::uint8_t {
    mine,
    taken,  ///< another has it, or had it and the breaker is open again
    closed, ///< none is needed any more
};
[[nodiscard]] Task<Result<Probe>> claim_destination_probe(pg::Connection& connection,
                                                          std::string name,
                                                          std::chrono::milliseconds open_for,
                                                          Deadline deadline);

[[nodiscard]] Task<Result<void>> close_destination_breaker(pg::Connection& connection,
                                                           std::string name, Deadline deadline);

/// A destination that is left alone just now.
struct ShutDestination {
    std::string name;
    std::string state; ///< `open`, `half_open` (one call is to show how it is) or `held`
    DbTime until;
    int failures = 0;
    std::string why;
};
[[nodiscard]] std::vector<ShutDestination> read_shut_destinations(const pg::Rows& rows);
[[nodiscard]] Task<Result<std::vector<ShutDestination>>>
list_destinations(pg::Connection& connection, Deadline deadline);

} // namespace sagabox::store
