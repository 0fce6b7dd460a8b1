#include "core/moment.hpp"

#include <gtest/gtest.h>

namespace sagabox::core {
namespace {

using namespace std::chrono_literals;

TEST(Moment, is_written_in_utc_without_needless_zeros)
{
    const DbTime whole{1'796'075'477s};
    EXPECT_EQ(format_rfc3339(whole), "2026-11-30T21:51:17Z");
    EXPECT_EQ(format_rfc3339(whole + 123'456us), "2026-11-30T21:51:17.123456Z");
    EXPECT_EQ(format_rfc3339(whole + 120ms), "2026-11-30T21:51:17.12Z");
    EXPECT_EQ(format_rfc3339(whole + 1us), "2026-11-30T21:51:17.000001Z");
    EXPECT_EQ(format_rfc3339(DbTime{-1us}), "1969-12-31T23:59:59.999999Z");
    EXPECT_EQ(format_rfc3339(DbTime{951'782'400s}), "2000-02-29T00:00:00Z");
}

TEST(Moment, stays_a_date_at_the_ends_of_time)
{
    EXPECT_EQ(format_rfc3339(DbTime{std::chrono::microseconds::max()}),
              "9999-12-31T23:59:59.999999Z");
    EXPECT_EQ(format_rfc3339(DbTime{std::chrono::microseconds::min()}), "0000-01-01T00:00:00Z");
}

TEST(Moment, that_is_written_reads_back)
{
    for (const auto ms :
         {0ms, 1ms, 951'782'399'999ms, 1'796'075'477'120ms, -62'135'596'800'000ms}) {
        EXPECT_EQ(parse_iso8601(format_rfc3339(DbTime{ms})), ms);
    }
}

} // namespace
} // namespace sagabox::core
