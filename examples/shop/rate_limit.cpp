#include "shop/rate_limit.hpp"

#include <algorithm>

namespace shop {

std::optional<std::chrono::seconds> RateLimit::turn_away(int per_second, Moment now)
{
    using std::chrono::seconds;
    const Moment::duration share = Moment::duration(seconds{1}) / per_second;
    const Moment after = std::max(used_up_to_, now) + share;
    if (after - now > seconds{1}) {
        return std::max(seconds{1},
                        std::chrono::ceil<seconds>(after - now - Moment::duration(seconds{1})));
    }
    used_up_to_ = after;
    return std::nullopt;
}

} // namespace shop
