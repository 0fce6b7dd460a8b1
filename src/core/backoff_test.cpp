#include "core/call.hpp"

#include <limits>
#include <set>

#include <gtest/gtest.h>

namespace sagabox::core {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

TEST(Backoff, doubles_from_its_base)
{
    const Backoff backoff;
    EXPECT_EQ(delay_after(1, backoff, 0), 2s);
    EXPECT_EQ(delay_after(2, backoff, 0), 4s);
    EXPECT_EQ(delay_after(3, backoff, 0), 8s);
}

TEST(Backoff, saturates_at_its_maximum)
{
    const Backoff backoff;
    for (const int attempt :
         {12, 31, 32, 33, 62, 63, 64, 65, 1000, std::numeric_limits<int>::max()}) {
        EXPECT_EQ(delay_after(attempt, backoff, 0), 5min) << attempt;
    }
}

TEST(Backoff, reaches_its_maximum_only_when_due)
{
    const Backoff backoff{BackoffKind::exponential, 1ms, milliseconds{std::int64_t{1} << 40}, 0};
    EXPECT_EQ(delay_after(40, backoff, 0).count(), std::int64_t{1} << 39);
    EXPECT_EQ(delay_after(41, backoff, 0).count(), std::int64_t{1} << 40);
    EXPECT_EQ(delay_after(42, backoff, 0).count(), std::int64_t{1} << 40);
}

TEST(Backoff, grows_by_its_base_when_linear)
{
    const Backoff backoff{BackoffKind::linear, 2s, 5min, 0};
    EXPECT_EQ(delay_after(1, backoff, 0), 2s);
    EXPECT_EQ(delay_after(2, backoff, 0), 4s);
    EXPECT_EQ(delay_after(3, backoff, 0), 6s);
    EXPECT_EQ(delay_after(150, backoff, 0), 5min);
    EXPECT_EQ(delay_after(151, backoff, 0), 5min);
    EXPECT_EQ(delay_after(std::numeric_limits<int>::max(), backoff, 0), 5min);
}

TEST(Backoff, is_never_zero_and_never_negative)
{
    for (const auto kind : {BackoffKind::exponential, BackoffKind::linear}) {
        for (const milliseconds base : {-5ms, 0ms, 1ms}) {
            for (const milliseconds max : {milliseconds::min(), 0ms, 1ms, milliseconds::max()}) {
                for (const double jitter :
                     {0.0, 1.0, 7.0, std::numeric_limits<double>::quiet_NaN()}) {
                    for (const int attempt : {-1, 0, 1, 63, 64, 1000}) {
                        const Backoff backoff{kind, base, max, jitter};
                        EXPECT_GT(delay_after(attempt, backoff, 3).count(), 0);
                    }
                }
            }
        }
    }
}

TEST(Backoff, cuts_a_base_above_its_maximum)
{
    EXPECT_EQ(delay_after(1, {BackoffKind::exponential, 10s, 3s, 0}, 0), 3s);
}

TEST(Backoff, keeps_jitter_inside_its_band_and_uses_all_of_it)
{
    const Backoff backoff{BackoffKind::exponential, 10s, 5min, 0.2};
    milliseconds least = milliseconds::max();
    milliseconds most{0};
    std::set<milliseconds> places;
    for (std::uint64_t seed = 0; seed < 5000; ++seed) {
        const milliseconds delay = delay_after(1, backoff, seed);
        ASSERT_GE(delay, 8s);
        ASSERT_LE(delay, 12s);
        least = std::min(least, delay);
        most = std::max(most, delay);
        places.insert(delay);
    }
    EXPECT_LT(least, 8100ms);
    EXPECT_GT(most, 11900ms);
    EXPECT_GT(places.size(), 2000U);
}

TEST(Backoff, spreads_late_retries_too_and_stays_below_its_maximum)
{
    const Backoff backoff{BackoffKind::exponential, 2s, 5min, 0.5};
    int at_maximum = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const milliseconds delay = delay_after(64, backoff, seed);
        ASSERT_GE(delay, 150s);
        ASSERT_LE(delay, 5min);
        at_maximum += delay == 5min ? 1 : 0;
    }
    EXPECT_LT(at_maximum, 20);
}

TEST(Backoff, gives_the_same_delay_for_the_same_seed)
{
    const Backoff backoff{BackoffKind::exponential, 10s, 5min, 0.5};
    EXPECT_EQ(delay_after(2, backoff, 42), delay_after(2, backoff, 42));
    EXPECT_NE(delay_after(2, backoff, 42), delay_after(2, backoff, 43));
}

} // namespace
} // namespace sagabox::core
