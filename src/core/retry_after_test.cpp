#include "core/retry_after.hpp"

#include "core/test_values.hpp"

#include <cstdlib>
#include <ctime>

namespace sagabox::core {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using Format = RetryAfterFormat;

constexpr milliseconds cap = 1h;

std::optional<milliseconds> read(std::string_view text, Format format = Format::automatic,
                                 milliseconds limit = cap)
{
    return parse_retry_after(text, format, test_now, limit);
}

TEST(RetryAfter, reads_a_delay_in_seconds)
{
    EXPECT_EQ(read("120"), 120s);
    EXPECT_EQ(read(" 7 "), 7s);
    EXPECT_EQ(read("\t7"), 7s);
    EXPECT_EQ(read("007"), 7s);
    EXPECT_EQ(read("0"), 0s);
}

TEST(RetryAfter, finds_nothing_usable_in_signs_fractions_words_and_lists)
{
    for (const char* text : {"-5", "+3", "1.5", "", " ", "abc", "12abc", "1, 2", "1 2", "0x10",
                             "1e3", "5s", "NaN", "\xd9\xa3"}) {
        for (const auto format : {Format::automatic, Format::seconds, Format::milliseconds,
                                  Format::unix_time, Format::httpdate, Format::iso8601}) {
            EXPECT_EQ(read(text, format), std::nullopt) << text;
        }
    }
}

TEST(RetryAfter, tells_a_delay_from_a_moment)
{
    // 1893456000 is 2030-01-01T00:00:00Z.
    const DbTime before{1893456000s - 90s};
    EXPECT_EQ(parse_retry_after("1893456000", Format::automatic, before, cap), 90s);
    EXPECT_EQ(parse_retry_after("1893456000000", Format::automatic, before, cap), 90s);
    EXPECT_EQ(parse_retry_after("1893456000250", Format::automatic, before, cap), 90'250ms);
    EXPECT_EQ(parse_retry_after("999999999", Format::automatic, before, cap), cap);
}

TEST(RetryAfter, waits_no_time_for_a_moment_that_has_passed)
{
    EXPECT_EQ(read("1000000000"), 0s);
    EXPECT_EQ(read("1000000000000"), 0s);
    EXPECT_EQ(read("Sun, 06 Nov 1994 08:49:37 GMT"), 0s);
    EXPECT_EQ(read("0000-01-01T00:00:00Z"), 0s);
}

TEST(RetryAfter, cuts_to_the_cap)
{
    EXPECT_EQ(read("3600"), 1h);
    EXPECT_EQ(read("3601"), 1h);
    EXPECT_EQ(read("Fri, 31 Dec 9999 23:59:59 GMT"), 1h);
    EXPECT_EQ(read("9999-12-31T23:59:59Z"), 1h);
    for (const auto format :
         {Format::automatic, Format::seconds, Format::milliseconds, Format::unix_time}) {
        EXPECT_EQ(read("99999999999999999999", format), 1h);
        EXPECT_EQ(read("18446744073709551616", format), 1h);
        EXPECT_EQ(read(std::string(400, '9'), format), 1h);
        EXPECT_EQ(read("9223372036854775807", format, milliseconds::max()) > cap, true);
    }
    EXPECT_EQ(read("5", Format::automatic, -1s), 0s);
}

TEST(RetryAfter, does_not_overflow_at_the_ends_of_time)
{
    const DbTime first{std::chrono::microseconds::min()};
    const DbTime last{std::chrono::microseconds::max()};
    for (const char* text : {"0", "99999999999999999999", "1893456000", "1893456000000",
                             "9999-12-31T23:59:59Z", "Sun, 06 Nov 1994 08:49:37 GMT"}) {
        EXPECT_GE(parse_retry_after(text, Format::automatic, first, cap), 0s) << text;
        EXPECT_GE(parse_retry_after(text, Format::automatic, last, cap), 0s) << text;
    }
}

TEST(RetryAfter, reads_all_three_http_dates)
{
    // test_now is 2026-11-30T21:51:17Z, a Monday.
    EXPECT_EQ(read("Mon, 30 Nov 2026 21:52:17 GMT"), 60s);
    EXPECT_EQ(read("Monday, 30-Nov-26 21:52:17 GMT"), 60s);
    EXPECT_EQ(read("Mon Nov 30 21:52:17 2026"), 60s);
    const DbTime sixth{std::chrono::seconds{784111777} - 30s}; // 1994-11-06T08:49:37Z
    for (const char* text : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                             "Sun Nov  6 08:49:37 1994"}) {
        EXPECT_EQ(parse_retry_after(text, Format::httpdate, sixth, cap), 30s) << text;
        EXPECT_EQ(parse_retry_after(text, Format::automatic, sixth, cap), 30s) << text;
    }
}

TEST(RetryAfter, reads_dates_as_utc_whatever_the_time_zone)
{
    const char* before = std::getenv("TZ");
    const std::string saved = before == nullptr ? "" : before;
    setenv("TZ", "America/New_York", 1);
    tzset();
    EXPECT_EQ(read("Mon, 30 Nov 2026 21:52:17 GMT"), 60s);
    EXPECT_EQ(read("Mon Nov 30 21:52:17 2026"), 60s);
    EXPECT_EQ(read("2026-11-30T21:52:17Z"), 60s);
    before == nullptr ? unsetenv("TZ") : setenv("TZ", saved.c_str(), 1);
    tzset();
}

TEST(RetryAfter, knows_no_zone_but_gmt_in_an_http_date)
{
    for (const char* text : {"Mon, 30 Nov 2026 21:52:17 EST", "Mon, 30 Nov 2026 21:52:17 UTC",
                             "Mon, 30 Nov 2026 21:52:17 +0000", "Mon, 30 Nov 2026 21:52:17",
                             "Mon, 30 Nov 2026 21:52:17 Z", "Monday, 30-Nov-26 21:52:17 PST",
                             "Mon Nov 30 21:52:17 2026 GMT"}) {
        EXPECT_EQ(read(text), std::nullopt) << text;
    }
}

TEST(RetryAfter, refuses_dates_that_do_not_exist)
{
    for (const char* text :
         {"Mon, 31 Nov 2026 21:52:17 GMT", "Mon, 29 Feb 2027 21:52:17 GMT",
          "Mon, 00 Nov 2026 21:52:17 GMT", "Mon, 30 Nov 2026 24:00:00 GMT",
          "Mon, 30 Nov 2026 21:60:17 GMT", "Mon, 30 Nov 2026 21:52:61 GMT",
          "Mon, 30 Nix 2026 21:52:17 GMT", "Xyz, 30 Nov 2026 21:52:17 GMT", "2026-13-01T00:00:00Z",
          "2026-02-30T00:00:00Z", "2026-11-30T25:00:00Z", "Mon Nov 31 21:52:17 2026"}) {
        EXPECT_EQ(read(text), std::nullopt) << text;
    }
}

TEST(RetryAfter, places_a_two_digit_year_at_most_fifty_years_ahead)
{
    const auto wide = milliseconds::max();
    const auto at = [&](const char* text) {
        return parse_retry_after(text, Format::httpdate, test_now, wide);
    };
    EXPECT_GT(*at("Friday, 30-Nov-76 21:51:17 GMT"),
              std::chrono::years{49});                                       // 2076: 50 years ahead
    EXPECT_EQ(at("Friday, 30-Nov-76 21:51:18 GMT"), 0s);                     // 1976
    EXPECT_EQ(at("Friday, 30-Nov-77 21:51:17 GMT"), 0s);                     // 1977
    EXPECT_EQ(at("Friday, 30-Nov-25 21:51:17 GMT"), 0s);                     // 2025
    EXPECT_GT(*at("Friday, 01-Jan-27 00:00:00 GMT"), std::chrono::days{31}); // 2027
}

TEST(RetryAfter, reads_iso_8601_with_an_offset)
{
    for (const char* text :
         {"2026-11-30T21:52:17Z", "2026-11-30t21:52:17z", "2026-11-30T23:52:17+02:00",
          "2026-11-30T23:52:17+0200", "2026-11-30T23:52:17+02", "2026-11-30T16:22:17-05:30",
          "2026-11-30T21:52:17.000Z"}) {
        EXPECT_EQ(read(text), 60s) << text;
        EXPECT_EQ(read(text, Format::iso8601), 60s) << text;
    }
    EXPECT_EQ(read("2026-11-30T21:52:17.5Z"), 60'500ms);
    EXPECT_EQ(read("2026-11-30T21:52:17,0001Z"), 60'001ms);
    EXPECT_EQ(read("2026-11-30T21:52Z"), 43s);
}

TEST(RetryAfter, does_not_guess_an_offset)
{
    for (const char* text :
         {"2026-11-30T21:52:17", "2026-11-30", "2026-11-30 21:52:17Z", "2026-11-30T21:52:17 Z",
          "2026-11-30T21:52:17.Z", "2026-11-30T21:52:17+24:00",
          "2026-11-30T21:52:17+02:", "2026-11-30T21:52:17ZZ", "2026-11-30T21:52:17CET"}) {
        EXPECT_EQ(read(text), std::nullopt) << text;
    }
}

TEST(RetryAfter, holds_a_fixed_format_to_its_word)
{
    EXPECT_EQ(read("1500", Format::milliseconds), 1500ms);
    EXPECT_EQ(read("1893456000", Format::seconds), cap);
    EXPECT_EQ(read("1796075537", Format::unix_time), 60s);
    EXPECT_EQ(read("1796075537000", Format::unix_time), 60s);
    EXPECT_EQ(read("120", Format::unix_time), 0s);
    EXPECT_EQ(read("120", Format::httpdate), std::nullopt);
    EXPECT_EQ(read("120", Format::iso8601), std::nullopt);
    EXPECT_EQ(read("2026-11-30T21:52:17Z", Format::httpdate), std::nullopt);
    EXPECT_EQ(read("Mon, 30 Nov 2026 21:52:17 GMT", Format::iso8601), std::nullopt);
    EXPECT_EQ(read("Mon, 30 Nov 2026 21:52:17 GMT", Format::seconds), std::nullopt);
}

} // namespace
} // namespace sagabox::core
