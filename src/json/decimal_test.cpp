#include "json/decimal.hpp"

#include <gtest/gtest.h>

namespace sagabox::json {
namespace {

void expect_canonical(std::string_view text, std::string_view form)
{
    const std::optional<std::string> canonical = canonical_number(text);
    ASSERT_TRUE(canonical.has_value()) << text.substr(0, 60);
    // Numbers of 131,072 digits are no use in a log.
    EXPECT_TRUE(*canonical == form) << text.substr(0, 60) << " gave " << canonical->substr(0, 60);
}

// Each right-hand side is what PostgreSQL 15 answers to `select '<left>'::jsonb`.
TEST(Decimal, takes_the_form_in_which_jsonb_prints_a_number)
{
    expect_canonical("1.50e1", "15.0");
    expect_canonical("-0", "0");
    expect_canonical("-0.0", "0.0");
    expect_canonical("1e3", "1000");
    expect_canonical("1E+2", "100");
    expect_canonical("1e-5", "0.00001");
    expect_canonical("0e5", "0");
    expect_canonical("0.0e3", "0");
    expect_canonical("0.00e-2", "0.0000");
    expect_canonical("-0e-3", "0.000");
    expect_canonical("1.0e1", "10");
    expect_canonical("12.340e-2", "0.12340");
    expect_canonical("1.5e0", "1.5");
    expect_canonical("1.5e-0", "1.5");
    expect_canonical("100.10", "100.10");
    expect_canonical("-1.50e-1", "-0.150");
    expect_canonical("0.001e2", "0.1");
    expect_canonical("0.00100e2", "0.100");
    expect_canonical("0e1073741822", "0");
}

TEST(Decimal, keeps_every_digit)
{
    expect_canonical("9007199254740993", "9007199254740993");
    expect_canonical("123456789012345678901234567890", "123456789012345678901234567890");
    expect_canonical("0.1000000000000000055511151231257827",
                     "0.1000000000000000055511151231257827");
    expect_canonical("1e400", "1" + std::string(400, '0'));
}

TEST(Decimal, ends_where_the_range_of_numeric_ends)
{
    const std::string ones(131'072, '1');
    expect_canonical(ones, ones);
    expect_canonical("-1e131071", "-1" + std::string(131'071, '0'));
    expect_canonical("1e-16383", "0." + std::string(16'382, '0') + "1");
    expect_canonical("0." + std::string(140'000, '0') + "1e140000", "0.1");
    expect_canonical("1." + ones + "1e131071", ones + ".11");

    EXPECT_FALSE(canonical_number(ones + "1"));
    EXPECT_FALSE(canonical_number("1e131072"));
    EXPECT_FALSE(canonical_number("1e-16384"));
    EXPECT_FALSE(canonical_number("1.0e-16383"));
    EXPECT_FALSE(canonical_number("0e-16384"));
    EXPECT_FALSE(canonical_number("0." + std::string(16'384, '1')));
    EXPECT_FALSE(canonical_number("0e1073741823"));
    EXPECT_FALSE(canonical_number("1e99999999999999999999999999"));
    EXPECT_FALSE(canonical_number("1e-99999999999999999999999999"));
}

TEST(Decimal, refuses_what_is_no_json_number)
{
    for (const char* text :
         {"",   "-",    "+1",  "01",  "-01",      "1.",  ".5",    "1e",    "1e+",   "1.e3", " 1",
          "1 ", "0x10", "1,5", "NaN", "Infinity", "--1", "1.5.5", "1e5e5", "1_000", "1e5.0"}) {
        EXPECT_FALSE(canonical_number(text)) << text;
    }
}

TEST(Decimal, compares_exactly_at_any_length)
{
    const auto equal = std::strong_ordering::equal;
    const auto less = std::strong_ordering::less;
    const auto greater = std::strong_ordering::greater;
    EXPECT_EQ(compare_numbers("10", "10.0"), equal);
    EXPECT_EQ(compare_numbers("0", "0.000"), equal);
    EXPECT_EQ(compare_numbers("-1.50", "-1.5"), equal);
    EXPECT_EQ(compare_numbers("9007199254740993", "9007199254740992"), greater);
    EXPECT_EQ(compare_numbers("9223372036854775807", "9223372036854775808"), less);
    EXPECT_EQ(compare_numbers("9", "10"), less);
    EXPECT_EQ(compare_numbers("-9", "-10"), greater);
    EXPECT_EQ(compare_numbers("-1", "0"), less);
    EXPECT_EQ(compare_numbers("0", "-0.1"), greater);
    EXPECT_EQ(compare_numbers("0.09", "0.1"), less);
    EXPECT_EQ(compare_numbers("0.10", "0.09999"), greater);
    EXPECT_EQ(compare_numbers("1.2", "1.25"), less);
    EXPECT_EQ(compare_numbers("-1.2", "-1.25"), greater);
    EXPECT_EQ(compare_numbers("1" + std::string(400, '0'), "1" + std::string(399, '0') + "1"),
              less);
}

} // namespace
} // namespace sagabox::json
