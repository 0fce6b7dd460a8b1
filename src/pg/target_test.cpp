#include "pg/target.hpp"

#include <gtest/gtest.h>

namespace sagabox::pg {
namespace {

std::string parameter(const Target& target, std::string_view keyword)
{
    for (const auto& [known, value] : target.parameters) {
        if (known == keyword) {
            return value;
        }
    }
    return "(absent)";
}

std::vector<Target> parsed(const std::string& url)
{
    Options options;
    options.url = url;
    Result<std::vector<Target>> found = targets(options);
    EXPECT_TRUE(found.has_value());
    return found ? *found : std::vector<Target>();
}

TEST(Target, gives_what_a_relay_needs_where_the_url_says_nothing)
{
    const std::vector<Target> found = parsed("postgresql://app@db.example/shop");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(parameter(found[0], "target_session_attrs"), "read-write");
    EXPECT_EQ(parameter(found[0], "tcp_user_timeout"), "15000");
    EXPECT_EQ(parameter(found[0], "keepalives_idle"), "10");
    EXPECT_EQ(parameter(found[0], "application_name"), "sagabox");
    EXPECT_EQ(found[0].where, "database shop at db.example:5432");
}

TEST(Target, leaves_alone_what_the_url_says)
{
    const std::vector<Target> found =
        parsed("postgresql://db.example/shop?target_session_attrs=any&keepalives_idle=99");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(parameter(found[0], "target_session_attrs"), "any");
    EXPECT_EQ(parameter(found[0], "keepalives_idle"), "99");
}

TEST(Target, tries_each_host_by_itself)
{
    const std::vector<Target> found = parsed("postgresql://a:1,b:2/shop");
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(parameter(found[0], "host"), "a");
    EXPECT_EQ(parameter(found[0], "port"), "1");
    EXPECT_EQ(parameter(found[1], "host"), "b");
    EXPECT_EQ(parameter(found[1], "port"), "2");
    EXPECT_EQ(parsed("host=a,b,c port=7 dbname=x").size(), 3U);
}

TEST(Target, leaves_lists_that_do_not_match_to_libpq)
{
    EXPECT_EQ(parsed("host=a,b,c port=1,2 dbname=x").size(), 1U);
}

TEST(Target, shows_no_password)
{
    for (const char* url : {
             "postgresql://app:hunter2@db.example/shop",
             "postgresql://app@db.example/shop?password=hunter2",
             "host=db.example dbname=shop user=app password='hunter2'",
         }) {
        EXPECT_EQ(without_password(url), "database shop at db.example:5432 as app");
    }
    EXPECT_EQ(without_password("postgresql://app:hunter2@[bad/shop").find("hunter2"),
              std::string::npos);
}

TEST(Target, names_the_cure_for_a_url_that_cannot_be_read)
{
    for (const char* url : {
             "postgresql://app:hunter2@db.example:port/shop",
             "postgresql://app:x@hunter2@db.example/shop",
             "postgresql://app:12/hunter2@db.example/shop",
             "postgresql://app:hunter2@[bad/shop",
         }) {
        Options options;
        options.url = url;
        const Result<std::vector<Target>> found = targets(options);
        ASSERT_FALSE(found.has_value()) << url;
        EXPECT_EQ(found.error().kind(), Fault::Kind::bad_input);
        EXPECT_NE(found.error().text().find("postgresql://user@host"), std::string::npos);
        EXPECT_EQ(found.error().text().find("hunter2"), std::string::npos);
        EXPECT_EQ(without_password(url).find("hunter2"), std::string::npos);
    }
}

} // namespace
} // namespace sagabox::pg
