#include "api/api.hpp"

#include "api/openapi.hpp"
#include "core/plan.hpp"
#include "json/value.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <memory>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sagabox::api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The API with no database behind it: nothing listens at that port.
Api::Options away(std::string address = "127.0.0.1", std::optional<std::string> token = {})
{
    Api::Options options;
    options.database.url = "postgresql://app:s3cret-of-mine@127.0.0.1:1/none";
    options.address = std::move(address);
    options.token = std::move(token);
    options.version = "1";
    options.relay = [] {
        return RelayState{};
    };
    options.metrics = [] {
        return std::string("up 1\n");
    };
    return options;
}

class ApiTest : public ::testing::Test {
protected:
    http::Response ask(const std::string& method, const std::string& path,
                       http::Headers headers = {}, std::string body = {})
    {
        return ask(api_, method, path, std::move(headers), std::move(body));
    }

    static http::Response ask(Api& api, const std::string& method, const std::string& path,
                              http::Headers headers = {}, std::string body = {})
    {
        http::Request request;
        request.method = method;
        request.path = path.substr(0, path.find('?'));
        if (path.find('?') != std::string::npos) {
            const std::string pair = path.substr(path.find('?') + 1);
            request.query.emplace_back(pair.substr(0, pair.find('=')),
                                       pair.substr(pair.find('=') + 1));
        }
        request.headers = std::move(headers);
        request.body = std::move(body);
        return api.handle(request);
    }

    static std::string header(const http::Response& response, std::string_view name)
    {
        for (const auto& [known, value] : response.headers) {
            if (known == name) {
                return value;
            }
        }
        return {};
    }

    std::shared_ptr<const core::Plan> plan_ = std::make_shared<core::Plan>();
    Api api_{away(), plan_};
};

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

TEST_F(ApiTest, is_described_route_by_route_and_describes_nothing_else)
{
    std::set<std::string> served;
    for (const Route& route : api_.router().routes()) {
        served.insert(lower(route.method) + " " + route.path);
    }
    const Result<json::Value> document = json::parse(openapi_document);
    ASSERT_TRUE(document) << document.error().text();
    std::set<std::string> described;
    for (const auto& [path, operations] : *document->find("paths")->as_object()) {
        for (const auto& [method, operation] : *operations.as_object()) {
            described.insert(method + " " + path);
        }
    }
    EXPECT_EQ(served, described);
}

TEST_F(ApiTest, describes_each_parameter_of_a_query)
{
    const Result<json::Value> document = json::parse(openapi_document);
    ASSERT_TRUE(document);
    for (const Route& route : api_.router().routes()) {
        const json::Value* operation =
            document->find("paths")->find(route.path)->find(lower(route.method));
        ASSERT_NE(operation, nullptr) << route.path;
        std::set<std::string> described;
        if (const json::Value* parameters = operation->find("parameters")) {
            for (const json::Value& parameter : *parameters->as_array()) {
                if (*parameter.find("in")->as_string() == "query") {
                    described.insert(*parameter.find("name")->as_string());
                }
            }
        }
        const std::set<std::string> taken(route.parameters.begin(), route.parameters.end());
        EXPECT_EQ(taken, described) << route.path;
    }
}

TEST_F(ApiTest, answers_within_three_seconds_without_a_database)
{
    for (const char* path : {"/api/outbox/stats", "/api/outbox/events", "/api/outbox/events/1",
                             "/api/dead-letters", "/api/emails", "/readyz"}) {
        const auto begun = std::chrono::steady_clock::now();
        const http::Response response = ask("GET", path);
        EXPECT_EQ(response.status, 503) << path << response.body;
        EXPECT_EQ(header(response, "Content-Type"), "application/problem+json") << path;
        EXPECT_THAT(response.body, Not(HasSubstr("127.0.0.1"))) << path;
        EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(3)) << path;
    }
    EXPECT_EQ(ask("GET", "/healthz").status, 200);
}

TEST_F(ApiTest, refuses_ids_that_are_none)
{
    for (const char* id : {"0", "-1", "abc", "1x", "1.0", "9223372036854775808", "+1", " 1",
                           "99999999999999999999999999", "<script>", "%2e"}) {
        EXPECT_EQ(ask("GET", "/api/outbox/events/" + std::string(id)).status, 400) << id;
        EXPECT_EQ(ask("POST", "/api/dead-letters/" + std::string(id) + "/retry").status, 400) << id;
    }
    EXPECT_EQ(ask("GET", "/api/outbox/events/").status, 404);
    EXPECT_EQ(ask("GET", "/api/outbox/events/1/x").status, 404);
    EXPECT_EQ(ask("GET", "/api/outbox/events/../1").status, 404);
}

TEST_F(ApiTest, says_which_methods_an_address_takes)
{
    const http::Response wrong = ask("DELETE", "/api/outbox/events/7");
    EXPECT_EQ(wrong.status, 405);
    EXPECT_EQ(header(wrong, "Allow"), "GET, HEAD");
    EXPECT_EQ(header(ask("PUT", "/api/emails"), "Allow"), "POST, GET, HEAD");
    EXPECT_EQ(ask("GET", "/api/outbox/events/7/retry").status, 405);
    EXPECT_EQ(ask("POST", "/healthz").status, 405);
}

TEST_F(ApiTest, refuses_a_query_that_it_does_not_know)
{
    EXPECT_EQ(ask("GET", "/api/outbox/events?sttus=PENDING").status, 400);
    EXPECT_EQ(ask("GET", "/api/outbox/stats?x=1").status, 400);
    EXPECT_EQ(ask("GET", "/api/outbox/events?status=LOST").status, 400);
    EXPECT_EQ(ask("GET", "/api/dead-letters?reason=Bored").status, 400);
    EXPECT_EQ(ask("GET", "/api/emails?status=SENT").status, 400);
    for (const char* limit : {"0", "-1", "501", "ten", "1.5", "99999999999"}) {
        EXPECT_EQ(ask("GET", "/api/outbox/events?limit=" + std::string(limit)).status, 400)
            << limit;
    }
    for (const char* before : {"0", "-7", "x", "9223372036854775808"}) {
        EXPECT_EQ(ask("GET", "/api/emails?before=" + std::string(before)).status, 400) << before;
    }
}

TEST_F(ApiTest, takes_no_body_but_json)
{
    const std::string path = "/api/dead-letters/1/resolve";
    EXPECT_EQ(ask("POST", path, {{"Content-Type", "text/plain"}}, "{\"note\":\"x\"}").status, 415);
    EXPECT_EQ(ask("POST", path, {}, "{\"note\":\"x\"}").status, 415);
    EXPECT_EQ(
        ask("POST", path, {{"Content-Type", "application/x-www-form-urlencoded"}}, "a=b").status,
        415);
    const http::Headers json{{"Content-Type", "application/json; charset=utf-8"}};
    EXPECT_EQ(ask("POST", path, json, "{\"note\":").status, 400);
    EXPECT_EQ(ask("POST", path, json, "[1]").status, 422);
    EXPECT_EQ(ask("POST", path, json, "{}").status, 422);
    EXPECT_EQ(ask("POST", path, json, "{\"note\":\" \"}").status, 422);
    EXPECT_EQ(ask("POST", path, json, "{\"note\":7}").status, 422);
    EXPECT_EQ(ask("POST", path, json, "{\"note\":\"x\",\"nott\":1}").status, 422);
    EXPECT_EQ(ask("POST", path, json, std::string(usual_body + 1, ' ')).status, 413);
    EXPECT_EQ(ask("POST", "/api/emails/resend", json, "{\"limit\":0}").status, 422);
    EXPECT_EQ(ask("POST", "/api/emails/resend", json, "{\"status\":\"SUCCESS_SENT\"}").status, 422);
    EXPECT_EQ(ask("POST", path, json, "{\"note\":\"x\"}").status, 503);
}

TEST_F(ApiTest, lets_no_page_of_another_origin_press_a_button)
{
    const std::string path = "/api/outbox/events/1/cancel";
    const auto with = [&](const char* name, const char* value) {
        return ask("POST", path, {{"Host", "localhost:9000"}, {name, value}}).status;
    };
    EXPECT_EQ(with("Origin", "https://evil.example"), 403);
    EXPECT_EQ(with("Origin", "null"), 403);
    EXPECT_EQ(with("Origin", "http://localhost:9001"), 403);
    EXPECT_EQ(with("Sec-Fetch-Site", "cross-site"), 403);
    EXPECT_EQ(with("Sec-Fetch-Site", "same-site"), 403);
    EXPECT_EQ(with("Origin", "http://localhost:9000"), 503);
    EXPECT_EQ(with("Sec-Fetch-Site", "same-origin"), 503);
    EXPECT_EQ(with("Sec-Fetch-Site", "none"), 503);
}

TEST_F(ApiTest, answers_on_the_loopback_only_under_its_own_names)
{
    for (const char* host : {"evil.example", "evil.example:9000", "127.0.0.1.evil.example",
                             "localhost.evil.example:9000", "[::2]:9000"}) {
        EXPECT_EQ(ask("GET", "/api/openapi.json", {{"Host", host}}).status, 403) << host;
    }
    for (const char* host : {"localhost", "LOCALHOST:9000", "127.0.0.1:9000", "[::1]:9000"}) {
        EXPECT_EQ(ask("GET", "/api/openapi.json", {{"Host", host}}).status, 200) << host;
    }
}

TEST_F(ApiTest, wants_its_token_where_one_is_set)
{
    Api api(away("0.0.0.0", "t0ken-of-mine"), plan_);
    const std::string path = "/api/openapi.json";
    const http::Response refused = ask(api, "GET", path);
    EXPECT_EQ(refused.status, 401);
    EXPECT_THAT(header(refused, "WWW-Authenticate"), HasSubstr("Bearer"));
    for (const char* given : {"Bearer t0ken-of-min", "Bearer t0ken-of-mine2", "Bearer ", "Bearer",
                              "Basic t0ken-of-mine", "t0ken-of-mine", "Bearer T0ken-of-mine"}) {
        EXPECT_EQ(ask(api, "GET", path, {{"Authorization", given}}).status, 401) << given;
    }
    EXPECT_EQ(ask(api, "GET", path, {{"Authorization", "Bearer t0ken-of-mine"}}).status, 200);
    EXPECT_EQ(ask(api, "GET", path, {{"authorization", "bearer t0ken-of-mine"}}).status, 200);
    EXPECT_EQ(ask(api, "GET", "/no/such/page").status, 401);
    EXPECT_EQ(ask(api, "GET", "/healthz").status, 200);
}

TEST_F(ApiTest, puts_its_security_headers_on_every_answer)
{
    for (const char* path : {"/healthz", "/nowhere", "/api/openapi.json", "/api/outbox/events/x"}) {
        const http::Response response = ask("GET", path);
        EXPECT_THAT(header(response, "Content-Security-Policy"), HasSubstr("default-src 'none'"));
        EXPECT_EQ(header(response, "X-Content-Type-Options"), "nosniff");
        EXPECT_EQ(header(response, "Cache-Control"), "no-store");
    }
}

TEST_F(ApiTest, takes_no_mail_where_none_is_configured)
{
    const http::Response refused =
        ask("POST", "/api/emails", {{"Content-Type", "application/json"}}, "{}");
    EXPECT_EQ(refused.status, 409);
    EXPECT_THAT(refused.body, HasSubstr("email.providers"));
}

} // namespace
} // namespace sagabox::api
