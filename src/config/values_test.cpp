#include "config/values.hpp"

#include <gtest/gtest.h>

namespace sagabox::config {
namespace {

using namespace std::chrono_literals;

TEST(Values, reads_durations_in_every_unit)
{
    const std::pair<const char*, std::chrono::milliseconds> cases[] = {
        {"2 seconds", 2s}, {"500 ms", 500ms},   {"5s", 5s},        {"1500", 1500ms},
        {"0.5 s", 500ms},  {"1 minute", 1min},  {"2h", 2h},        {"7 days", 168h},
        {" 3 s ", 3s},     {"1000000 ns", 1ms}, {"2 weeks", 336h}, {"0", 0ms},
    };
    for (const auto& [text, expected] : cases) {
        const auto value = parse_duration(text);
        ASSERT_TRUE(value) << text;
        EXPECT_EQ(*value, expected) << text;
    }
}

TEST(Values, refuses_what_is_no_duration)
{
    for (const char* text : {"", "s", "-1 s", "+1 s", "1 fortnight", "1e3 ms", "1.2.3 s", ".5 s",
                             "5. s", "0.1 ms", "99999999999999999999 d", "1 s 2", "0x10", "inf"}) {
        EXPECT_FALSE(parse_duration(text)) << text;
    }
}

TEST(Values, tells_overflow_from_nonsense_in_whole_numbers)
{
    EXPECT_EQ(parse_whole("-12").value(), -12);
    EXPECT_NE(parse_whole("99999999999999999999").error().text().find("too large"),
              std::string::npos);
    EXPECT_FALSE(parse_whole("1.0"));
    EXPECT_FALSE(parse_whole("12abc"));
    EXPECT_FALSE(parse_real("nan"));
    EXPECT_FALSE(parse_real("inf"));
}

TEST(Values, reads_a_status_and_a_class_of_statuses)
{
    EXPECT_EQ(parse_status("409")->first, 409);
    EXPECT_EQ(parse_status("409")->last, 409);
    EXPECT_EQ(parse_status("5xx")->first, 500);
    EXPECT_EQ(parse_status("5xx")->last, 599);
    for (const char* text : {"", "99", "600", "4x", "xxx", "5-1", "1000", "40x"}) {
        EXPECT_FALSE(parse_status(text)) << text;
    }
}

TEST(Values, writes_methods_in_upper_case_and_refuses_what_is_no_token)
{
    EXPECT_EQ(parse_method("patch").value(), "PATCH");
    for (const char* text : {"", "PO ST", "POST\r\n", "CONNECT", "trace"}) {
        EXPECT_FALSE(parse_method(text)) << text;
    }
}

} // namespace
} // namespace sagabox::config
