#include "http/target.hpp"

#include <gtest/gtest.h>

namespace sagabox::http {
namespace {

TEST(Target, is_decoded_path_and_query)
{
    const auto target = parse_target("/a%20b/%D0%BA?x=1+2&y=%2B&flag&z=a=b");
    ASSERT_TRUE(target);
    EXPECT_EQ(target->path, "/a b/к");
    const std::vector<std::pair<std::string, std::string>> expected{
        {"x", "1 2"}, {"y", "+"}, {"flag", ""}, {"z", "a=b"}};
    EXPECT_EQ(target->query, expected);
}

TEST(Target, leaves_a_plus_in_the_path_alone)
{
    EXPECT_EQ(parse_target("/a+b")->path, "/a+b");
}

TEST(Target, may_be_absolute)
{
    EXPECT_EQ(parse_target("http://host:1/a?b=c")->path, "/a");
    EXPECT_EQ(parse_target("http://host")->path, "/");
}

TEST(Target, refuses_what_a_handler_could_not_pass_on)
{
    for (const char* bad : {"/%", "/%4", "/%zz", "/%00", "/?a=%00", "/%ff", "/%c0%af", "/%ed%a0%80",
                            "/?a=%f5%80%80%80", "*", "relative", "/a b", "/a\tb", "/?a=%2", ""}) {
        EXPECT_FALSE(parse_target(bad)) << bad;
    }
}

} // namespace
} // namespace sagabox::http
