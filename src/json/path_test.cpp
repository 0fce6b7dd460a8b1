#include "json/path.hpp"

#include <gtest/gtest.h>

namespace sagabox::json {
namespace {

/// What `query` selects in `document`, as an array.
std::string selected(std::string_view query, std::string_view document)
{
    const Result<Path> path = Path::compile(query);
    if (!path) {
        return path.error().text();
    }
    const Result<Value> root = parse(document);
    if (!root) {
        return root.error().text();
    }
    Array nodes;
    for (const Value* node : path->select(*root)) {
        nodes.push_back(*node);
    }
    return write(nodes);
}

TEST(Path, compares_numbers_exactly)
{
    EXPECT_EQ(selected("$[?@ == 9007199254740993]",
                       "[9007199254740992,9007199254740993,9007199254740994]"),
              "[9007199254740993]");
    EXPECT_EQ(selected("$[?@ == 10]", "[10,10.0,1e1,\"10\",100]"), "[10,10.0,10]");
    EXPECT_EQ(selected("$[?@ > 123456789012345678901234567890]",
                       "[123456789012345678901234567890,123456789012345678901234567891]"),
              "[123456789012345678901234567891]");
    EXPECT_EQ(selected("$[?@ == 1e400]", "[1e400,1e401]"), "[1" + std::string(400, '0') + "]");
    EXPECT_EQ(selected("$.a[?@ == $.b]", R"({"a":[[1.0,{"x":2}],[1,{"x":3}]],"b":[1,{"x":2.00}]})"),
              R"([[1.0,{"x":2}]])");
}

TEST(Path, gives_pointers_into_the_document)
{
    const Value root = *parse(R"({"a":{"b":[1,2]}})");
    const Path path = *Path::compile("$.a.b[-1]");
    EXPECT_EQ(path.first(root), &root.find("a")->find("b")->as_array()->back());
    EXPECT_EQ(path.text(), "$.a.b[-1]");
    EXPECT_EQ(Path::compile("$")->first(root), &root);
}

TEST(Path, takes_the_first_of_several_nodes)
{
    const Value root = *parse(R"({"a":[{"b":1},{"b":2}],"n":null})");
    EXPECT_EQ(*Path::compile("$.a[*].b")->first(root), Value::integer(1));
    EXPECT_EQ(*Path::compile("$..b")->first(root), Value::integer(1));
    EXPECT_EQ(*Path::compile("$.n")->first(root), Value(Null{}));
    EXPECT_EQ(Path::compile("$.a[*].c")->first(root), nullptr);
    EXPECT_EQ(Path::compile("$.a.c.d[0]")->first(root), nullptr);
    EXPECT_EQ(Path::compile("$.a[2]")->first(root), nullptr);
}

TEST(Path, has_a_fault_that_names_the_position_and_what_was_expected)
{
    const Result<Path> path = Path::compile("$.a[?@.b = 1]");
    ASSERT_FALSE(path);
    EXPECT_EQ(path.error().kind(), Fault::Kind::bad_input);
    EXPECT_EQ(path.error().text(), "JSONPath: expected ',' or ']' at position 10 of $.a[?@.b = 1]");
}

TEST(Path, refuses_integers_beyond_2_to_the_53_minus_1)
{
    EXPECT_TRUE(Path::compile("$[9007199254740991]"));
    EXPECT_TRUE(Path::compile("$[-9007199254740991:9007199254740991:-9007199254740991]"));
    EXPECT_FALSE(Path::compile("$[9007199254740992]"));
    EXPECT_FALSE(Path::compile("$[::-9007199254740992]"));
    EXPECT_FALSE(Path::compile("$[99999999999999999999999999]"));
}

TEST(Path, refuses_a_pattern_in_the_query_that_is_no_i_regexp)
{
    EXPECT_FALSE(Path::compile(R"($[?match(@, '\\d+')])"));
    EXPECT_FALSE(Path::compile("$[?search(@, '[')]"));
}

TEST(Path, lets_a_pattern_from_the_document_that_is_no_i_regexp_match_nothing)
{
    EXPECT_EQ(selected("$.a[?match(@, $.p)]", R"({"a":["1"],"p":"\\d"})"), "[]");
    EXPECT_EQ(selected("$.a[?match(@, $.p)]", R"({"a":["1"],"p":"[0-9]"})"), R"(["1"])");
    EXPECT_EQ(selected("$.a[?match(@, $.p)]", R"({"a":["1"],"p":1})"), "[]");
}

TEST(Path, checks_the_types_of_functions)
{
    for (const char* query :
         {"$[?length(@)]", "$[?count(@.*)]", "$[?value(@.*)]", "$[?count(1) == 1]",
          "$[?length(@.*) == 1]", "$[?match(@, 'a') == true]", "$[?length(match(@, 'a')) == 1]",
          "$[?match(@)]", "$[?length() == 1]", "$[?length(@, @) == 1]", "$[?none(@)]",
          "$[?@.* == 1]", "$[?1]", "$[?length(@ == 1) == 1]"}) {
        EXPECT_FALSE(Path::compile(query)) << query;
    }
    EXPECT_TRUE(Path::compile("$[?length(value(@..a)) == count(@.*)]"));
}

TEST(Path, counts_characters_and_not_bytes)
{
    EXPECT_EQ(selected("$[?length(@) == 4]", R"(["ключ","abcd","😀😀😀😀","éé"])"),
              R"(["ключ","abcd","😀😀😀😀"])");
}

TEST(Path, bounds_the_depth_of_a_query)
{
    EXPECT_TRUE(Path::compile("$[?" + std::string(50, '(') + "@" + std::string(50, ')') + "]"));
    EXPECT_FALSE(
        Path::compile("$[?" + std::string(100'000, '(') + "@" + std::string(100'000, ')') + "]"));
    std::string filters = "@";
    for (int i = 0; i < 100'000; ++i) {
        filters += "[?@";
    }
    EXPECT_FALSE(Path::compile("$[?" + filters));
    std::string calls = "$[?";
    for (int i = 0; i < 100'000; ++i) {
        calls += "length(";
    }
    EXPECT_FALSE(Path::compile(calls));
}

TEST(Path, descends_to_the_deepest_document)
{
    const std::string document = std::string(max_depth, '[') + "7" + std::string(max_depth, ']');
    EXPECT_EQ(selected("$..[?@ == 7]", document), "[7]");
}

TEST(Path, refuses_a_query_that_is_not_utf8)
{
    EXPECT_FALSE(Path::compile("$.\xFF"));
    EXPECT_FALSE(Path::compile("$['\xC3']"));
    EXPECT_FALSE(Path::compile(""));
    EXPECT_FALSE(Path::compile(" $"));
    EXPECT_FALSE(Path::compile("$ "));
}

bool meet(const char* a, const char* b)
{
    const Path one = *Path::compile(a);
    const Path other = *Path::compile(b);
    EXPECT_EQ(one.may_meet(other), other.may_meet(one)) << a << ' ' << b;
    return one.may_meet(other);
}

TEST(PathOverlap, is_seen_where_one_selects_the_other_s_node_or_lies_within_it)
{
    EXPECT_TRUE(meet("$.card.number", "$.card.number"));
    EXPECT_TRUE(meet("$.card", "$.card.number"));
    EXPECT_TRUE(meet("$", "$.card"));
    EXPECT_TRUE(meet("$.items[*].iban", "$.items[0].iban"));
    EXPECT_TRUE(meet("$.items[-1]", "$.items[0]"));
    EXPECT_TRUE(meet("$['a','b']", "$.b"));
    EXPECT_TRUE(meet("$..iban", "$.id"));
    EXPECT_TRUE(meet("$.items[?@.secret]", "$.items[3].id"));
}

TEST(PathOverlap, is_ruled_out_where_names_or_places_differ)
{
    EXPECT_FALSE(meet("$.card.number", "$.card.id"));
    EXPECT_FALSE(meet("$.card", "$.id"));
    EXPECT_FALSE(meet("$.items[*].iban", "$.items[0].id"));
    EXPECT_FALSE(meet("$.items[1]", "$.items[0]"));
    EXPECT_FALSE(meet("$.items[1:2]", "$.items.name"));
}

} // namespace
} // namespace sagabox::json
