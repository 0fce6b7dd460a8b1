#pragma once

#include <chrono>
#include <optional>

namespace shop {

/// At most so many calls a second: a full second's worth may come at once, and then one each time
/// that its share of the second has gone by. Reads no clock.
class RateLimit {
public:
    using Moment = std::chrono::steady_clock::time_point;

    /// Lets one call in; else says in how many seconds it may come again, at least one.
    std::optional<std::chrono::seconds> turn_away(int per_second, Moment now);

private:
    Moment used_up_to_{}; ///< until then the calls that were let in have taken their shares
};

} // namespace shop
