#include "json/value.hpp"

#include <gtest/gtest.h>

namespace sagabox::json {
namespace {

TEST(Write, appends_to_what_is_there)
{
    std::string out = "body: ";
    write_to(out, Array{Value(true)});
    EXPECT_EQ(out, "body: [true]");
}

TEST(Write, quotes_every_ascii_character_so_that_it_is_read_back)
{
    std::string all;
    for (char c = 1; c < 127; ++c) {
        all += c;
    }
    const Result<Value> read = parse(quote(all));
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, Value(all));
    EXPECT_EQ(quote("\x01\x1f\n\"\\/"), R"("\u0001\u001f\n\"\\/")");
}

TEST(StorableText, leaves_valid_text_alone)
{
    EXPECT_EQ(to_storable_text("plain, ключ, 😀, \\u0000"), "plain, ключ, 😀, \\u0000");
    EXPECT_EQ(to_storable_text(""), "");
}

TEST(StorableText, replaces_each_byte_that_belongs_to_no_character)
{
    EXPECT_EQ(to_storable_text(std::string_view("a\0b", 3)), "a\xEF\xBF\xBD"
                                                             "b");
    EXPECT_EQ(to_storable_text("\xFFx"), "\xEF\xBF\xBDx");
    EXPECT_EQ(to_storable_text("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");
    EXPECT_EQ(to_storable_text("\xC3("), "\xEF\xBF\xBD(");
}

TEST(StorableText, is_always_accepted_as_a_json_string)
{
    for (unsigned first = 0; first < 256; ++first) {
        for (unsigned second = 0; second < 256; ++second) {
            const std::string bytes = {static_cast<char>(first), static_cast<char>(second), 'x'};
            const std::string text = to_storable_text(bytes);
            const Result<Value> read = parse(quote(text));
            ASSERT_TRUE(read) << first << ' ' << second;
            ASSERT_EQ(*read, Value(text)) << first << ' ' << second;
        }
    }
}

} // namespace
} // namespace sagabox::json
