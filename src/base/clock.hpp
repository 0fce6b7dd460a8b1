#pragma once

#include <chrono>
#include <compare>

namespace sagabox {

/// A moment of this process's steady clock. Measures spans; means nothing to another process.
using Instant = std::chrono::steady_clock::time_point;

/// A moment of PostgreSQL's clock, to the microsecond, UTC.
///
/// Deliberately not convertible to or from `Instant`: only the database's clock decides what is due
/// and who holds a lease, and a worker's clock may be wrong by minutes.
struct DbTime {
    std::chrono::microseconds since_epoch{0};

    friend auto operator<=>(const DbTime&, const DbTime&) = default;
    friend DbTime operator+(DbTime t, std::chrono::microseconds d) { return {t.since_epoch + d}; }
    friend std::chrono::microseconds operator-(DbTime a, DbTime b)
    {
        return a.since_epoch - b.since_epoch;
    }
};

/// The latest moment at which a wait may still be going on. Passed down, always as the last
/// parameter, so that no wait is without a bound.
struct Deadline {
    Instant at;

    [[nodiscard]] static Deadline after(std::chrono::steady_clock::duration d)
    {
        return {std::chrono::steady_clock::now() + d};
    }
    [[nodiscard]] bool passed() const { return std::chrono::steady_clock::now() >= at; }
};

} // namespace sagabox
