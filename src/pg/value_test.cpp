#include "pg/value.hpp"

#include <gtest/gtest.h>

namespace sagabox::pg {
namespace {

std::string literal(const std::vector<std::optional<std::string>>& elements)
{
    Params params;
    params.texts(std::span<const std::optional<std::string>>(elements));
    return params.values().front().value();
}

TEST(Params, quote_every_array_element)
{
    EXPECT_EQ(literal({}), "{}");
    EXPECT_EQ(literal({""}), R"({""})");
    EXPECT_EQ(literal({"a", "b,c"}), R"({"a","b,c"})");
    EXPECT_EQ(literal({"NULL", std::nullopt}), R"({"NULL",NULL})");
    EXPECT_EQ(literal({R"(say "hi" \ {x})"}), R"({"say \"hi\" \\ {x}"})");
}

TEST(Params, write_integers_to_their_limits)
{
    const std::vector<std::int64_t> values{INT64_MIN, -1, 0, INT64_MAX};
    Params params;
    params.integers(values).integer(INT64_MIN).null();
    ASSERT_EQ(params.values().size(), 3U);
    EXPECT_EQ(params.values()[0], "{-9223372036854775808,-1,0,9223372036854775807}");
    EXPECT_EQ(params.values()[1], "-9223372036854775808");
    EXPECT_EQ(params.values()[2], std::nullopt);
}

TEST(Params, tell_an_empty_text_from_null)
{
    Params params;
    params.text("").text(std::optional<std::string>());
    EXPECT_EQ(params.values()[0], "");
    EXPECT_EQ(params.values()[1], std::nullopt);
}

} // namespace
} // namespace sagabox::pg
