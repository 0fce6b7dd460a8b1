#include "core/test_values.hpp"

namespace sagabox::core {
namespace {

/// Whether `value(body)`, under `$.v`, `op` `wanted`.
bool check(std::string_view value, Operator op, std::string wanted)
{
    const json::Value body = json_of("{\"v\":" + std::string(value) + "}");
    return holds(Condition{path_of("$.v"), op, std::move(wanted), ""}, body, nullptr);
}

TEST(Condition, compares_numbers_as_numbers)
{
    EXPECT_TRUE(check("10", Operator::eq, "10.0"));
    EXPECT_TRUE(check("10.00", Operator::eq, "10"));
    EXPECT_FALSE(check("10", Operator::ne, "1e1"));
    EXPECT_TRUE(check("-0", Operator::eq, "0"));
}

TEST(Condition, tells_a_64_bit_id_from_its_neighbour)
{
    EXPECT_TRUE(check("9223372036854775807", Operator::eq, "9223372036854775807"));
    EXPECT_FALSE(check("9223372036854775807", Operator::eq, "9223372036854775806"));
    EXPECT_TRUE(check("9007199254740993", Operator::ne, "9007199254740992"));
    EXPECT_TRUE(check("9007199254740993", Operator::gt, "9007199254740992"));
    EXPECT_TRUE(check("0.1000000000000000000000001", Operator::gt, "0.1"));
}

TEST(Condition, compares_a_numeric_string_as_text_for_equality)
{
    EXPECT_TRUE(check("\"10\"", Operator::eq, "10"));
    EXPECT_FALSE(check("\"10\"", Operator::eq, "10.0"));
    EXPECT_TRUE(check("\"10\"", Operator::ne, "10.0"));
}

TEST(Condition, compares_a_numeric_string_as_a_number_for_order)
{
    EXPECT_TRUE(check("\"9\"", Operator::lt, "10"));
    EXPECT_TRUE(check("\"10.0\"", Operator::gte, "10"));
    EXPECT_TRUE(check("\"10.0\"", Operator::lte, "10"));
    EXPECT_FALSE(check("\"10.0\"", Operator::gt, "10"));
}

TEST(Condition, orders_numbers)
{
    EXPECT_TRUE(check("49.99", Operator::lt, "50"));
    EXPECT_FALSE(check("50", Operator::lt, "50"));
    EXPECT_TRUE(check("50", Operator::lte, "50"));
    EXPECT_TRUE(check("50", Operator::gte, "50"));
    EXPECT_FALSE(check("50", Operator::gt, "50"));
    EXPECT_TRUE(check("-2", Operator::lt, "-1"));
}

TEST(Condition, does_not_order_what_is_no_number)
{
    for (const auto op : {Operator::gt, Operator::gte, Operator::lt, Operator::lte}) {
        EXPECT_FALSE(check("\"abc\"", op, "abb"));
        EXPECT_FALSE(check("\"abc\"", op, "1"));
        EXPECT_FALSE(check("5", op, "five"));
        EXPECT_FALSE(check("true", op, "0"));
        EXPECT_FALSE(check("null", op, "0"));
        EXPECT_FALSE(check("[1]", op, "0"));
        EXPECT_FALSE(check("\"\"", op, ""));
    }
}

TEST(Condition, compares_all_else_as_text)
{
    EXPECT_TRUE(check("\"domestic\"", Operator::eq, "domestic"));
    EXPECT_FALSE(check("\"Domestic\"", Operator::eq, "domestic"));
    EXPECT_TRUE(check("true", Operator::eq, "true"));
    EXPECT_TRUE(check("false", Operator::ne, "true"));
    EXPECT_TRUE(check("null", Operator::eq, "null"));
    EXPECT_TRUE(check("5", Operator::ne, "five"));
    EXPECT_TRUE(check("[1, 2]", Operator::eq, "[1,2]"));
}

TEST(Condition, finds_a_substring_or_a_member)
{
    EXPECT_TRUE(check("\"express-intl\"", Operator::contains, "intl"));
    EXPECT_FALSE(check("\"express\"", Operator::contains, "intl"));
    EXPECT_TRUE(check("[\"gift\", 10]", Operator::contains, "gift"));
    EXPECT_TRUE(check("[\"gift\", 10]", Operator::contains, "10.0"));
    EXPECT_FALSE(check("[\"gifts\"]", Operator::contains, "gift"));
    EXPECT_FALSE(check("{\"gift\":1}", Operator::contains, "gift"));
    EXPECT_FALSE(check("100", Operator::contains, "10"));
}

TEST(Condition, is_false_for_a_path_that_matches_nothing)
{
    const json::Value body = json_of(R"({"a":1})");
    for (const auto op : {Operator::eq, Operator::ne, Operator::gt, Operator::gte, Operator::lt,
                          Operator::lte, Operator::contains, Operator::exists}) {
        EXPECT_FALSE(holds(Condition{path_of("$.b"), op, "", ""}, body, nullptr));
    }
}

TEST(Condition, takes_null_for_something_that_exists)
{
    EXPECT_TRUE(check("null", Operator::exists, ""));
    EXPECT_TRUE(check("false", Operator::exists, ""));
}

TEST(Condition, uses_the_first_of_several_nodes)
{
    const json::Value body = json_of(R"({"items":[{"n":1},{"n":2}]})");
    EXPECT_TRUE(holds(Condition{path_of("$.items[*].n"), Operator::eq, "1", ""}, body, nullptr));
    EXPECT_FALSE(holds(Condition{path_of("$.items[*].n"), Operator::eq, "2", ""}, body, nullptr));
}

TEST(Condition, looks_at_the_previous_answer_where_it_names_one)
{
    const Condition condition{path_of("$.riskScore"), Operator::lt, "50", "fraudCheck"};
    const json::Value body = json_of(R"({"riskScore":10})");
    const json::Value safe = json_of(R"({"riskScore":25})");
    const json::Value risky = json_of(R"({"riskScore":75})");
    EXPECT_TRUE(holds(condition, body, &safe));
    EXPECT_FALSE(holds(condition, body, &risky));
    EXPECT_FALSE(holds(condition, body, nullptr));
}

TEST(Condition, never_uses_a_cut_answer)
{
    const json::Value cut =
        json_of(R"({"raw":"{\"riskScore\":25","contentType":"application/json","truncated":true})");
    const json::Value body = json_of("{}");
    EXPECT_FALSE(
        holds(Condition{path_of("$.raw"), Operator::exists, "", "fraudCheck"}, body, &cut));
    EXPECT_TRUE(holds(Condition{path_of("$.raw"), Operator::exists, "", ""}, cut, nullptr));
}

} // namespace
} // namespace sagabox::core
