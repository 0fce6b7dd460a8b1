#include "json/value.hpp"

#include <gtest/gtest.h>

namespace sagabox::json {
namespace {

std::string rewritten(std::string_view text)
{
    const Result<Value> value = parse(text);
    return value ? write(*value) : "refused: " + value.error().text();
}

std::string text_of(std::string_view json)
{
    const Result<Value> value = parse(json);
    return value && value->as_string() != nullptr ? *value->as_string()
                                                  : "no string: " + std::string(json);
}

std::string nested(std::size_t depth, std::string_view open, std::string_view close)
{
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) {
        text += open;
    }
    text += '0';
    for (std::size_t i = 0; i < depth; ++i) {
        text += close;
    }
    return text;
}

TEST(Parse, reads_what_write_wrote)
{
    for (const char* text :
         {"null", "true", "false", "0", "-1.50", "\"\"", "\"a\"", "[]", "{}", "[[],{},[{}]]",
          "[1,\"2\",null]", R"({"a":1,"b":[true,false],"aa":{"x":null}})",
          R"("\"\\/\b\f\n\r\t\u0001\u001f")"}) {
        EXPECT_EQ(rewritten(text), text);
    }
    EXPECT_EQ(rewritten(" \n\t\r{ \"a\" : [ 1 , 2 ] } \n"), R"({"a":[1,2]})");
}

TEST(Parse, keeps_the_digits_of_numbers)
{
    EXPECT_EQ(
        rewritten("[100.10,123456789012345678901234567890,9007199254740993,9007199254740992]"),
        "[100.10,123456789012345678901234567890,9007199254740993,9007199254740992]");
    EXPECT_EQ(rewritten("[1e3,-0,1.50e1]"), "[1000,0,15.0]");
    EXPECT_EQ(rewritten("1e400"), "1" + std::string(400, '0'));
    EXPECT_FALSE(parse("1e131072"));
    EXPECT_FALSE(parse("[1e-16384]"));
}

TEST(Parse, is_not_drowned_by_short_numbers_that_are_long_when_written_out)
{
    std::string numbers = "[0";
    for (int i = 0; i < 200; ++i) {
        numbers += ",1e131071";
    }
    EXPECT_FALSE(parse(numbers + "]"));
    EXPECT_TRUE(parse("[1e131071,1e131071]"));
}

TEST(Parse, puts_members_in_the_order_of_jsonb_and_lets_the_last_duplicate_win)
{
    EXPECT_EQ(rewritten(R"({"b":1,"aa":2,"a":3,"b":4})"), R"({"a":3,"b":4,"aa":2})");
    EXPECT_EQ(rewritten(R"({"a":1,"\u0061":2,"a":3})"), R"({"a":3})");
}

TEST(Parse, reads_escapes)
{
    EXPECT_EQ(text_of(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
    EXPECT_EQ(text_of(R"("\u0041\u00e9\u20AC\uD83D\uDE00")"), "Aé€😀");
    EXPECT_EQ(text_of(R"("before\u2028after")"), "before\xE2\x80\xA8"
                                                 "after");
    EXPECT_EQ(rewritten("\"before\xE2\x80\xA8"
                        "after\x7F\""),
              "\"before\xE2\x80\xA8"
              "after\x7F\"");
}

TEST(Parse, replaces_the_one_character_that_jsonb_cannot_hold)
{
    EXPECT_EQ(text_of(R"("a\u0000b")"), "a\xEF\xBF\xBD"
                                        "b");
    EXPECT_EQ(rewritten(R"({"\u0000":1})"), "{\"\xEF\xBF\xBD\":1}");
}

TEST(Parse, leaves_an_escaped_backslash_before_u0000_what_it_is)
{
    EXPECT_EQ(text_of(R"("a\\u0000b")"), R"(a\u0000b)");
    EXPECT_EQ(rewritten(R"("a\\u0000b")"), R"("a\\u0000b")");
}

TEST(Parse, refuses_text_that_is_not_utf8)
{
    for (const char* bytes :
         {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3(", "\xE2\x82", "\xE0\x80\x80",
          "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80",
          "\xF5\x80\x80\x80", "\xF0\x9F\x98", "\xFE", "\xFF"}) {
        EXPECT_FALSE(parse("\"" + std::string(bytes) + "\"")) << bytes;
    }
    EXPECT_TRUE(parse("\"\xC2\x80\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\xF0\x90\x80\x80"
                      "\xF4\x8F\xBF\xBF\""));
}

TEST(Parse, refuses_lone_surrogates)
{
    for (const char* text :
         {R"("\ud800")", R"("\udc00")", R"("\ud800x")", R"("\ud800\n")", R"("\ud800\ud800")",
          R"("\udc00\ud800")", R"("\ud800\u0041")", R"("\ud800\udc0")"}) {
        EXPECT_FALSE(parse(text)) << text;
    }
}

TEST(Parse, refuses_what_is_not_json)
{
    for (const std::string text : {"",
                                   " ",
                                   "nul",
                                   "nulll",
                                   "True",
                                   "NaN",
                                   "[",
                                   "]",
                                   "[1",
                                   "[1,",
                                   "[1,]",
                                   "[,1]",
                                   "[1 2]",
                                   "{",
                                   "}",
                                   "{\"a\"",
                                   "{\"a\":",
                                   "{\"a\":1",
                                   "{\"a\":1,",
                                   "{\"a\":1,}",
                                   "{,}",
                                   "{a:1}",
                                   "{'a':1}",
                                   "{\"a\" 1}",
                                   "{1:1}",
                                   "\"",
                                   "\"a",
                                   "'a'",
                                   "\"\\\"",
                                   "\"\\x\"",
                                   "\"\\u12\"",
                                   "\"\\u12g4\"",
                                   "\"\\",
                                   "\"\\u",
                                   "\"a\nb\"",
                                   "\"a\tb\"",
                                   "01",
                                   "1.",
                                   "+1",
                                   ".5",
                                   "1e",
                                   "- 1",
                                   "1 1",
                                   "[] []",
                                   "//x\n1",
                                   "\xEF\xBB\xBF"
                                   "1"}) {
        EXPECT_FALSE(parse(text)) << text;
    }
    EXPECT_FALSE(parse(std::string_view("1\0", 2)));
    EXPECT_FALSE(parse(std::string_view("\"a\0b\"", 5)));
}

TEST(Parse, says_what_it_expected_and_where)
{
    const Result<Value> value = parse(R"({"a":1,})");
    ASSERT_FALSE(value);
    EXPECT_EQ(value.error().kind(), Fault::Kind::bad_input);
    EXPECT_EQ(value.error().text(),
              "not a JSON document that can be stored: expected a name in quotes at byte 8");
}

TEST(Parse, bounds_the_depth_of_nesting)
{
    for (const auto& [open, close] : {std::pair("[", "]"), std::pair("{\"a\":", "}")}) {
        const std::string deepest = nested(max_depth, open, close);
        const Result<Value> value = parse(deepest);
        ASSERT_TRUE(value);
        EXPECT_EQ(write(*value), deepest);
        EXPECT_EQ(*value, *parse(deepest));
        EXPECT_FALSE(parse(nested(max_depth + 1, open, close)));
        EXPECT_FALSE(parse(nested(1'000'000, open, close)));
    }
}

// Every prefix of a document ends somewhere inside one of the parser's decisions.
TEST(Parse, refuses_every_part_of_a_document_without_reading_beyond_it)
{
    const std::string whole = R"({"a":[1.5e3,true,null,"\ud83d\ude00é\n"],"b":{"c":false}})";
    ASSERT_TRUE(parse(whole));
    for (std::size_t n = 0; n < whole.size(); ++n) {
        const std::string part = whole.substr(0, n);
        EXPECT_FALSE(parse(part)) << part;
    }
}

} // namespace
} // namespace sagabox::json
