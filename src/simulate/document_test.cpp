#include "simulate/document.hpp"

#include "core/test_values.hpp"

namespace sagabox::simulate {
namespace {

std::string placed(std::string_view document, std::string_view path)
{
    json::Value value = core::json_of(document);
    return place(value, core::path_of(path), json::Value("x")) ? json::write(value) : "no";
}

std::string removed(std::string_view document, std::string_view path)
{
    json::Value value = core::json_of(document);
    return remove(value, core::path_of(path)) ? json::write(value) : "no";
}

TEST(Document, gets_a_value_at_any_place_that_names_and_indexes_lead_to)
{
    EXPECT_EQ(placed("{}", "$.a.b"), R"({"a":{"b":"x"}})");
    EXPECT_EQ(placed(R"({"a":{"c":1}})", "$['a'][\"b\"]"), R"({"a":{"b":"x","c":1}})");
    EXPECT_EQ(placed("{}", "$.a[1].b"), R"({"a":[null,{"b":"x"}]})");
    EXPECT_EQ(placed("{}", "$.a[*].b"), R"({"a":[{"b":"x"}]})");
    EXPECT_EQ(placed("{}", "$..b"), R"({"b":"x"})");
    EXPECT_EQ(placed("{}", "$"), R"("x")");
}

TEST(Document, says_where_it_can_not_be_made)
{
    EXPECT_EQ(placed("{}", "$.a[?@.b == 1].c"), "no");
    EXPECT_EQ(placed("{}", "$.a[-1]"), "no");
    EXPECT_EQ(placed("{}", "$.a[100000]"), "no");
}

TEST(Document, loses_what_a_path_selects_and_no_more)
{
    EXPECT_EQ(removed(R"({"a":{"b":1,"c":2}})", "$.a.b"), R"({"a":{"c":2}})");
    EXPECT_EQ(removed(R"({"a":[1,2]})", "$.a[0]"), R"({"a":[]})");
    EXPECT_EQ(removed("{}", "$.a.b"), "{}");
    EXPECT_EQ(removed("{}", "$"), "no");
}

} // namespace
} // namespace sagabox::simulate
