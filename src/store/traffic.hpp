#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/task.hpp"
#include "pg/connection.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace sagabox::store {

/// Calls to one destination within some span, steps that were passed over left out.
struct CallFigures {
    std::int64_t calls = 0;
    std::int64_t succeeded = 0;
    std::int64_t rejected = 0;
    std::int64_t unknown = 0;
    std::chrono::milliseconds p50{0};
    std::chrono::milliseconds p95{0};
    std::chrono::milliseconds slowest{0};
};

struct DestinationTraffic {
    CallFigures whole;
    std::map<std::int64_t, CallFigures>
        slots; ///< by their begin, in seconds since 1970; none is empty
};

/// How destinations answered lately.
struct Traffic {
    DbTime now;
    DbTime
        since; ///< where the look began: later than was asked for where there were very many calls
    std::map<std::string, DestinationTraffic>
        destinations; ///< a revert's is `<destination>.revert`
};

inline constexpr std::chrono::seconds traffic_span{900};
inline constexpr std::chrono::seconds traffic_slot{30};

/// Looks at a bounded number of the latest results, so it costs the same at any size of the table.
[[nodiscard]] Task<Result<Traffic>> read_traffic(pg::Connection& connection, Deadline deadline);

} // namespace sagabox::store
