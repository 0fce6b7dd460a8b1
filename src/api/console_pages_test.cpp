#include "api/console_pages.hpp"

#include "api/console_files.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sagabox::api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

http::Request get(std::string path)
{
    return {.method = "GET",
            .path = std::move(path),
            .query = {},
            .headers = {},
            .body = {},
            .peer = {}};
}

std::string header(const http::Response& response, const std::string& name)
{
    for (const auto& [key, value] : response.headers) {
        if (key == name) {
            return value;
        }
    }
    return {};
}

class ConsolePages : public ::testing::Test {
    void SetUp() override
    {
        if (console_files.empty()) {
            GTEST_SKIP() << "built without the console";
        }
    }
};

TEST_F(ConsolePages, answer_every_page_with_the_index_and_never_let_it_be_kept)
{
    for (const char* path : {"/", "/sagas", "/events/12", "/no-such-page"}) {
        const auto answer = console_page(get(path));
        ASSERT_TRUE(answer) << path;
        EXPECT_EQ(answer->status, 200) << path;
        EXPECT_THAT(answer->body, HasSubstr("<div id=\"app\">")) << path;
        EXPECT_EQ(header(*answer, "Cache-Control"), "no-cache") << path;
    }
}

TEST_F(ConsolePages, let_files_with_a_hash_in_their_name_be_kept_for_ever)
{
    const auto script =
        std::find_if(console_files.begin(), console_files.end(), [](const ConsoleFile& file) {
            return file.path.starts_with("/assets/") && file.path.ends_with(".js");
        });
    ASSERT_NE(script, console_files.end());
    const auto answer = console_page(get(std::string(script->path)));
    ASSERT_TRUE(answer);
    EXPECT_THAT(header(*answer, "Content-Type"), StartsWith("text/javascript"));
    EXPECT_THAT(header(*answer, "Cache-Control"), HasSubstr("immutable"));
    EXPECT_EQ(answer->body, script->text);
}

TEST_F(ConsolePages, run_nothing_but_their_own_scripts)
{
    const auto answer = console_page(get("/"));
    ASSERT_TRUE(answer);
    const std::string policy = header(*answer, "Content-Security-Policy");
    EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
    EXPECT_THAT(policy, HasSubstr("script-src 'self'"));
    EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
    EXPECT_THAT(answer->body, Not(HasSubstr("<script>")));
    EXPECT_THAT(answer->body, Not(HasSubstr("style=")));
}

TEST_F(ConsolePages, leave_the_api_to_the_api)
{
    for (const char* path :
         {"/api", "/api/outbox/stats", "/api/none", "/metrics", "/healthz", "/readyz"}) {
        EXPECT_FALSE(console_page(get(path))) << path;
    }
}

TEST_F(ConsolePages, say_404_for_a_file_that_is_not_there)
{
    for (const char* path : {"/assets/index-00000000.js", "/favicon.ico", "/../etc/passwd.txt"}) {
        const auto answer = console_page(get(path));
        ASSERT_TRUE(answer) << path;
        EXPECT_EQ(answer->status, 404) << path;
    }
}

TEST_F(ConsolePages, take_no_method_but_get)
{
    http::Request request = get("/");
    request.method = "POST";
    const auto answer = console_page(request);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 405);
    EXPECT_EQ(header(*answer, "Allow"), "GET, HEAD");
}

} // namespace
} // namespace sagabox::api
