#include "config/secrets.hpp"

#include "config/config_fixture.hpp"

#include <gmock/gmock.h>

namespace sagabox::config {
namespace {

using ::testing::Contains;
using ::testing::Not;

TEST(Secrets, lists_what_came_from_the_environment_also_as_part_of_a_value)
{
    const Variable token("SAGABOX_TEST_TOKEN", "abc-from-env");
    const Settings settings =
        settings_in("outbox.http.routes.a { url = \"http://h/\"\n"
                    "headers { X-Note = \"Bearer \"${?SAGABOX_TEST_TOKEN} } }");
    EXPECT_THAT(settings.secrets, Contains("abc-from-env"));
    EXPECT_THAT(settings.secrets, Contains("Bearer abc-from-env"));
    EXPECT_EQ(settings.plan->destination("a")->routes[0].headers[0].second, "Bearer abc-from-env");
}

TEST(Secrets, lists_what_stands_under_a_telling_name_or_inside_an_address)
{
    const Settings settings = settings_in(
        "database.url = \"postgresql://app:pa55word@h/d\"\n"
        "http.auth.token = t0k3n-abc\n"
        "outbox.http.routes.a { url = \"https://u:s3cr3t@h/x?api_key=k3y-value&n=12345\"\n"
        "headers { X-Api-Key = inventory-key, Accept = text-plain } }");
    for (const char* secret : {"pa55word", "t0k3n-abc", "s3cr3t", "k3y-value", "inventory-key"}) {
        EXPECT_THAT(settings.secrets, Contains(secret));
    }
    for (const char* open : {"12345", "text-plain", "app"}) {
        EXPECT_THAT(settings.secrets, Not(Contains(open)));
    }
}

TEST(Secrets, does_not_blot_out_ports_and_names_that_only_sound_secret)
{
    const Variable port("SAGABOX_TEST_PORT", "9123");
    const Settings settings = settings_in(
        "http.port = ${?SAGABOX_TEST_PORT}\n"
        "outbox.http { routes { tokens { url = \"http://h/\"\n"
        "revert { url = \"http://h/{key}\", extract { key = \"response:$.key\" } } } }\n"
        "fanout { IssueToken = [tokens] } }");
    EXPECT_EQ(settings.secrets, std::vector<std::string>{});
    EXPECT_EQ(settings.http.port, 9123);
}

TEST(Secrets, never_appear_in_a_problem)
{
    const Variable url("SAGABOX_TEST_URL", "mysql://root:hunter2@h/d");
    const Variable number("SAGABOX_TEST_NUMBER", "hunter3");
    const std::string problems =
        problems_in("database.url = ${?SAGABOX_TEST_URL}\n"
                    "outbox.batchSize = ${?SAGABOX_TEST_NUMBER}\n"
                    "outbox.http.routes.a { url = \"gopher://u:hunter4@h/\"\n"
                    "headers { Authorization = \"hunter5\\nX\" } }");
    EXPECT_EQ(std::ranges::count(problems, '\n'), 4) << problems;
    EXPECT_EQ(problems.find("hunter"), std::string::npos) << problems;
    EXPECT_NE(problems.find("SAGABOX_TEST_URL"), std::string::npos) << problems;
}

TEST(Secrets, of_the_environment_beat_the_file)
{
    const Variable url("SAGABOX_DATABASE_URL", "postgresql://app:env-pass@h/d");
    const Variable token("SAGABOX_HTTP_TOKEN", "env-token");
    const Settings settings =
        settings_in("database.url = \"postgresql://file@h/d\"\n"
                    "http { address = \"0.0.0.0\", auth.token = file-token }");
    EXPECT_EQ(settings.database.url, "postgresql://app:env-pass@h/d");
    EXPECT_EQ(settings.http.token, "env-token");
    EXPECT_THAT(settings.secrets, Contains("env-pass"));
    EXPECT_THAT(settings.secrets, Contains("env-token"));
}

TEST(Secrets, put_the_longest_first)
{
    EXPECT_THAT(secrets_in_address("host=h password=abcdef dbname=d"), Contains("abcdef"));
    std::vector<std::string> secrets = {"abcd", "x", "abcdef", "abcd"};
    tidy_secrets(secrets);
    EXPECT_EQ(secrets, (std::vector<std::string>{"abcdef", "abcd"}));
}

} // namespace
} // namespace sagabox::config
