#include "shop/rate_limit.hpp"

#include <gtest/gtest.h>

namespace shop {
namespace {

using namespace std::chrono_literals;

constexpr RateLimit::Moment start{1h};

int let_in(RateLimit& limit, int per_second, RateLimit::Moment at, int calls)
{
    int good = 0;
    for (int i = 0; i < calls; ++i) {
        good += limit.turn_away(per_second, at) ? 0 : 1;
    }
    return good;
}

TEST(RateLimit, lets_a_seconds_worth_in_at_once_and_then_each_in_its_share_of_a_second)
{
    RateLimit limit;
    EXPECT_EQ(let_in(limit, 4, start, 10), 4);
    EXPECT_EQ(let_in(limit, 4, start + 249ms, 10), 0);
    EXPECT_EQ(let_in(limit, 4, start + 250ms, 10), 1);
    EXPECT_EQ(let_in(limit, 4, start + 1s, 10), 3);
}

TEST(RateLimit, saves_nothing_up_beyond_a_second)
{
    RateLimit limit;
    EXPECT_EQ(let_in(limit, 3, start, 10), 3);
    EXPECT_EQ(let_in(limit, 3, start + 1h, 10), 3);
}

TEST(RateLimit, says_when_to_come_again_in_whole_seconds)
{
    RateLimit limit;
    EXPECT_EQ(let_in(limit, 1, start, 2), 1);
    EXPECT_EQ(limit.turn_away(1, start), 1s);
    EXPECT_EQ(limit.turn_away(1, start + 999ms), 1s);
    EXPECT_EQ(limit.turn_away(1, start + 1s), std::nullopt);
}

TEST(RateLimit, keeps_to_a_smaller_number_from_the_moment_that_it_is_told)
{
    RateLimit limit;
    EXPECT_EQ(let_in(limit, 100, start, 100), 100);
    EXPECT_EQ(let_in(limit, 1, start, 1), 0);
    EXPECT_EQ(limit.turn_away(1, start), 1s);
    EXPECT_EQ(let_in(limit, 1, start + 2s, 2), 1);
}

} // namespace
} // namespace shop
