#include "json/regexp.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sagabox::json {
namespace {

bool whole(std::string_view pattern, std::string_view subject)
{
    const std::optional<Regexp> regexp = Regexp::compile(pattern);
    EXPECT_TRUE(regexp.has_value()) << pattern;
    return regexp && regexp->matches_all_of(subject);
}

TEST(Regexp, matches_any_character_but_the_ends_of_lines_with_a_dot)
{
    EXPECT_TRUE(whole("a.b", "a😀b"));
    EXPECT_TRUE(whole(".", "\xE2\x80\xA8"));
    EXPECT_FALSE(whole("a.b", "a\nb"));
    EXPECT_FALSE(whole("a.b", "a\rb"));
}

TEST(Regexp, tells_a_whole_match_from_one_within)
{
    const std::optional<Regexp> regexp = Regexp::compile("b|bc");
    ASSERT_TRUE(regexp);
    EXPECT_TRUE(regexp->matches_all_of("bc"));
    EXPECT_FALSE(regexp->matches_all_of("abc"));
    EXPECT_TRUE(regexp->matches_within("abcd"));
    EXPECT_FALSE(regexp->matches_within("acd"));
}

TEST(Regexp, anchors_at_the_ends_of_the_text_and_not_at_those_of_lines)
{
    const std::optional<Regexp> regexp = Regexp::compile("^b$");
    ASSERT_TRUE(regexp);
    EXPECT_TRUE(regexp->matches_within("b"));
    EXPECT_FALSE(regexp->matches_within("a\nb"));
    EXPECT_FALSE(regexp->matches_within("b\n"));
    EXPECT_TRUE(whole("[$^]+", "^$"));
}

TEST(Regexp, reads_classes)
{
    EXPECT_TRUE(whole("[a-c]+", "abc"));
    EXPECT_TRUE(whole("[^a-c]", "\n"));
    EXPECT_TRUE(whole("[-a]+", "a-"));
    EXPECT_TRUE(whole("[a-]+", "a-"));
    EXPECT_TRUE(whole("[-]", "-"));
    EXPECT_TRUE(whole("[\\]\\[\\\\\\-]+", "]\\[-"));
    EXPECT_TRUE(whole("[:alpha:]+", "alpha:"));
    EXPECT_FALSE(whole("[:alpha:]+", "z"));
    EXPECT_TRUE(whole("[а-я]+", "ключ"));
    EXPECT_TRUE(whole("[\\n\\r\\t]+", "\r\n\t"));
}

TEST(Regexp, counts)
{
    EXPECT_TRUE(whole("a{2}", "aa"));
    EXPECT_FALSE(whole("a{2}", "aaa"));
    EXPECT_TRUE(whole("a{02,}", "aaa"));
    EXPECT_TRUE(whole("(ab){1,2}", "abab"));
    EXPECT_FALSE(whole("(ab){0,2}", "ababab"));
    EXPECT_TRUE(whole("a{0}", ""));
    EXPECT_TRUE(whole("|a", ""));
}

TEST(Regexp, knows_the_categories_of_unicode)
{
    EXPECT_TRUE(whole("\\p{Lu}\\p{Ll}\\p{L}", "ЖжA"));
    EXPECT_FALSE(whole("\\P{Lu}", "Ж"));
    EXPECT_TRUE(whole("[\\p{Nd}x]+", "1x٣"));
    EXPECT_TRUE(whole("[^\\p{L}]", "1"));
}

TEST(Regexp, counts_unassigned_code_points_among_the_others)
{
    const std::string unassigned = "\xCD\xB8"; // U+0378
    EXPECT_TRUE(whole("\\p{Cn}", unassigned));
    EXPECT_TRUE(whole("\\p{C}", unassigned));
    EXPECT_TRUE(whole("[a\\p{C}]", unassigned));
    EXPECT_FALSE(whole("\\P{C}", unassigned));
    EXPECT_FALSE(whole("\\P{Cn}", unassigned));
    EXPECT_FALSE(whole("[^\\p{Cn}]", unassigned));
    EXPECT_TRUE(whole("\\p{C}", "\x01"));
    EXPECT_FALSE(whole("\\p{Cn}", "\x01"));
    EXPECT_FALSE(whole("\\p{C}", "a"));
    EXPECT_TRUE(whole("\\P{C}\\P{Cn}", "aa"));
    EXPECT_TRUE(whole("[^\\p{Cn}]", "a"));
}

TEST(Regexp, refuses_what_other_dialects_know_and_this_one_does_not)
{
    for (const char* pattern :
         {"\\d",     "\\w",     "\\s",        "\\b",     "\\$",   "\\x41", "\\u0041", "\\1",
          "\\",      "a**",     "a+?",        "a*+",     "*",     "+a",    "?",       "{1}",
          "(?:a)",   "(?i)a",   "(?=a)",      "(a",      "a)",    "[",     "[a",      "[]",
          "[^]",     "[]a]",    "]",          "}",       "a{",    "a{}",   "a{,2}",   "a{2,1}",
          "a{x}",    "a{1001}", "[z-a]",      "[a-c-e]", "[a--]", "[[a]]", "[\\d]",   "[a-\\p{L}]",
          "\\p{Lx}", "\\pL",    "\\p{Greek}", "\\p{",    "\\p",   "\\p{}", "\\p{^L}", "\xFF"}) {
        EXPECT_FALSE(Regexp::compile(pattern)) << pattern;
    }
}

TEST(Regexp, refuses_groups_too_deep_to_read)
{
    EXPECT_TRUE(Regexp::compile(std::string(100, '(') + std::string(100, ')')));
    EXPECT_FALSE(Regexp::compile(std::string(100'000, '(') + std::string(100'000, ')')));
}

TEST(Regexp, takes_no_exponential_time)
{
    EXPECT_FALSE(whole("(a|a|aa)*b", std::string(50'000, 'a')));
}

} // namespace
} // namespace sagabox::json
