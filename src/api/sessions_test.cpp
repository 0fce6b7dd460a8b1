#include "api/sessions.hpp"

#include "api/access.hpp"
#include "api/login.hpp"
#include "api/router.hpp"

#include <set>

#include <gtest/gtest.h>

namespace sagabox::api {
namespace {

const Instant start{};

TEST(Sessions, know_whom_they_let_in_until_the_time_is_over)
{
    Sessions sessions;
    const auto name = sessions.open(start);
    ASSERT_TRUE(name);
    EXPECT_EQ(name->size(), 64U);
    EXPECT_TRUE(sessions.knows(*name, start));
    EXPECT_TRUE(sessions.knows(*name, start + Sessions::lifetime - std::chrono::seconds(1)));
    EXPECT_FALSE(sessions.knows(*name, start + Sessions::lifetime));
    EXPECT_FALSE(sessions.knows("", start));
    EXPECT_FALSE(sessions.knows(std::string(64, '0'), start));
}

TEST(Sessions, end_the_oldest_where_there_are_too_many)
{
    Sessions sessions;
    const auto first = sessions.open(start);
    ASSERT_TRUE(first);
    std::set<std::string> names;
    for (std::size_t i = 1; i <= Sessions::most; ++i) {
        names.insert(sessions.open(start + std::chrono::seconds(i)).value());
    }
    EXPECT_EQ(names.size(), Sessions::most) << "two sessions have one name";
    const Instant later = start + std::chrono::seconds(Sessions::most);
    EXPECT_FALSE(sessions.knows(*first, later));
    for (const std::string& name : names) {
        EXPECT_TRUE(sessions.knows(name, later));
    }
}

TEST(Sessions, find_their_cookie_among_others)
{
    EXPECT_EQ(session_of("sagabox_session=abc"), "abc");
    EXPECT_EQ(session_of("a=1; sagabox_session=abc; b=2"), "abc");
    EXPECT_EQ(session_of("other_sagabox_session=abc"), "");
    EXPECT_EQ(session_of("sagabox_sessions=abc"), "");
    EXPECT_EQ(session_of(""), "");
    EXPECT_EQ(session_of(";;; ="), "");
}

class LoginTest : public ::testing::Test {
protected:
    LoginTest()
    {
        add_login_route(router_, access_);
        router_.add({"GET", "/secret", {}, [](const Call&) {
                         return http::Response{};
                     }});
    }

    http::Response enter(const std::string& token)
    {
        http::Request request;
        request.method = "POST";
        request.path = "/api/session";
        request.headers = {{"Content-Type", "application/json"}};
        request.body = "{\"token\":\"" + token + "\"}";
        return router_.answer(request);
    }

    int look(const std::string& cookie)
    {
        http::Request request;
        request.method = "GET";
        request.path = "/secret";
        request.headers = {{"Cookie", cookie}};
        return router_.answer(request).status;
    }

    Access access_{"0.0.0.0", "the token"};
    Router router_{access_};
};

TEST_F(LoginTest, lets_in_who_gives_the_token_and_keeps_the_token_out_of_the_cookie)
{
    const http::Response entered = enter("the token");
    EXPECT_EQ(entered.status, 204);
    ASSERT_EQ(entered.headers.size(), 1U);
    const std::string& cookie = entered.headers[0].second;
    EXPECT_EQ(cookie.find("the token"), std::string::npos);
    EXPECT_NE(cookie.find("HttpOnly"), std::string::npos);
    EXPECT_NE(cookie.find("SameSite=Strict"), std::string::npos);
    EXPECT_EQ(look(cookie.substr(0, cookie.find(';'))), 200);
}

TEST_F(LoginTest, lets_nobody_in_by_a_wrong_token_or_cookie)
{
    const http::Response refused = enter("the tokem");
    EXPECT_EQ(refused.status, 401);
    for (const auto& [name, value] : refused.headers) {
        EXPECT_NE(name, "Set-Cookie") << value;
    }
    EXPECT_EQ(look(""), 401);
    EXPECT_EQ(look("sagabox_session="), 401);
    EXPECT_EQ(look("sagabox_session=the token"), 401);
}

} // namespace
} // namespace sagabox::api
