#include "transport/http_calls_test.hpp"

namespace sagabox::transport {
namespace {

TEST_F(HttpCalls, a_redirect_is_not_followed_unless_asked_for)
{
    stub.on("/from", Reply{.status = 302, .headers = {{"Location", stub.url("/to")}}});
    stub.on("/to", Reply{});
    const HttpAnswer answer = call(post("/from"));
    EXPECT_EQ(answer.delivery, Delivery::answered);
    EXPECT_EQ(answer.status, 302);
    EXPECT_EQ(stub.arrivals("/to").size(), 0U);
}

TEST_F(HttpCalls, a_redirect_is_followed_where_asked_for)
{
    stub.on("/from", Reply{.status = 307, .headers = {{"Location", "/to"}}, .body = "moved"});
    stub.on("/to", Reply{.status = 201, .headers = {{"X-To", "1"}}, .body = "here"});
    HttpRequest request = post("/from", "{}");
    request.follow_redirects = true;
    const HttpAnswer answer = call(request);
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(answer.body, "here");
    EXPECT_EQ(answer.headers.at(0).first, "X-To");
    ASSERT_EQ(stub.arrivals("/to").size(), 1U);
    EXPECT_EQ(stub.arrivals("/to").at(0).method, "POST");
    EXPECT_EQ(stub.arrivals("/to").at(0).body, "{}");
}

TEST_F(HttpCalls, see_other_becomes_a_get_and_other_redirects_keep_method_and_body)
{
    stub.on("/to", Reply{});
    for (const int status : {301, 302, 303, 307, 308}) {
        stub.on("/from", Reply{.status = status, .headers = {{"Location", "/to"}}});
        HttpRequest request = post("/from", "{}");
        request.method = "PUT";
        request.follow_redirects = true;
        EXPECT_EQ(call(request).status, 200) << status;
        const Arrival arrival = stub.arrivals().back();
        EXPECT_EQ(arrival.target, "/to");
        EXPECT_EQ(arrival.method, status == 303 ? "GET" : "PUT") << status;
        EXPECT_EQ(arrival.body, status == 303 ? "" : "{}") << status;
    }
}

TEST_F(HttpCalls, redirects_end_after_five)
{
    stub.on("/loop", Reply{.status = 307, .headers = {{"Location", "/loop"}}});
    HttpRequest request = post("/loop");
    request.follow_redirects = true;
    const HttpAnswer answer = call(request);
    EXPECT_EQ(answer.delivery, Delivery::unanswered);
    EXPECT_EQ(answer.status, 307);
    EXPECT_EQ(answer.error, "more than 5 redirects");
    EXPECT_EQ(stub.arrivals("/loop").size(), 6U);
}

TEST_F(HttpCalls, a_redirect_to_another_protocol_is_not_followed)
{
    stub.on("/from", Reply{.status = 302, .headers = {{"Location", "file:///etc/passwd"}}});
    HttpRequest request = get("/from");
    request.follow_redirects = true;
    const HttpAnswer answer = call(request);
    EXPECT_EQ(answer.delivery, Delivery::unanswered);
    EXPECT_EQ(answer.status, 302);
    EXPECT_EQ(answer.body, "");
    EXPECT_EQ(answer.error, "the answer leads to neither http nor https");
}

TEST_F(HttpCalls, a_redirected_request_is_sent_once_to_each_place)
{
    stub.on("/from", Reply{.status = 307, .headers = {{"Location", "/to"}}});
    stub.on("/to", Reply{.manner = Reply::Manner::close});
    HttpRequest request = post("/from");
    request.follow_redirects = true;
    EXPECT_EQ(call(request).delivery, Delivery::unanswered);
    EXPECT_EQ(stub.arrivals("/from").size(), 1U);
    EXPECT_EQ(stub.arrivals("/to").size(), 1U);
}

TEST_F(HttpCalls, credentials_do_not_follow_to_another_host)
{
    StubServer other;
    other.on("/to", Reply{});
    const std::string elsewhere = "http://localhost:" + std::to_string(other.port()) + "/to";
    stub.on("/from", Reply{.status = 307, .headers = {{"Location", elsewhere}}});
    HttpRequest request = get("/from");
    request.follow_redirects = true;
    request.headers = {{"Authorization", "Bearer secret"}};
    EXPECT_EQ(call(request).status, 200);
    EXPECT_EQ(stub.arrivals().at(0).count_of("Authorization"), 1U);
    EXPECT_EQ(other.arrivals().at(0).count_of("Authorization"), 0U);
}

} // namespace
} // namespace sagabox::transport
