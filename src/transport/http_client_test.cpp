#include "transport/http_calls_test.hpp"

#include <set>

namespace sagabox::transport {
namespace {

TEST_F(HttpCalls, a_post_arrives_as_it_was_given_and_its_answer_comes_back)
{
    stub.on("/orders", Reply{.status = 201, .headers = {{"X-Order", "7"}}, .body = R"({"id":7})"});
    HttpRequest request = post("/orders?x=1", R"({"quantity":12.10})");
    request.headers.emplace_back("Idempotency-Key", "key-1");
    const HttpAnswer answer = call(request);
    EXPECT_EQ(answer.delivery, Delivery::answered);
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(answer.body, R"({"id":7})");
    EXPECT_EQ(answer.headers.at(0), std::make_pair(std::string("X-Order"), std::string("7")));
    EXPECT_EQ(answer.error, "");
    EXPECT_FALSE(answer.truncated);
    ASSERT_EQ(stub.arrivals().size(), 1U);
    const Arrival arrival = stub.arrivals().front();
    EXPECT_EQ(arrival.method, "POST");
    EXPECT_EQ(arrival.target, "/orders?x=1");
    EXPECT_EQ(arrival.body, R"({"quantity":12.10})");
    EXPECT_EQ(arrival.header("Idempotency-Key"), "key-1");
    EXPECT_EQ(arrival.header("Content-Type"), "application/json");
    EXPECT_EQ(arrival.header("User-Agent"), "sagabox");
    EXPECT_EQ(arrival.count_of("Expect"), 0U);
    EXPECT_EQ(arrival.count_of("Accept-Encoding"), 0U);
}

TEST_F(HttpCalls, every_method_arrives_with_and_without_a_body)
{
    stub.on("/m", Reply{.body = "ok"});
    // One handle serves all of them in turn, so nothing of a call may leak into the next.
    for (const char* method : {"DELETE", "POST", "GET", "HEAD", "PUT", "PATCH", "PURGE", "GET"}) {
        for (const bool with_body : {true, false}) {
            HttpRequest request{.method = method, .url = stub.url("/m"), .timeout = 5s};
            if (with_body) {
                request.body = "[1]";
            }
            const std::size_t before = stub.arrivals().size();
            if (with_body && std::string_view(method) == "HEAD") {
                continue; // an answer to HEAD has no body, whatever libcurl was asked to send
            }
            const HttpAnswer answer = call(request);
            EXPECT_EQ(answer.status, 200) << method;
            EXPECT_EQ(answer.delivery, Delivery::answered) << method;
            ASSERT_EQ(stub.arrivals().size(), before + 1) << method;
            EXPECT_EQ(stub.arrivals().back().method, method);
            EXPECT_EQ(stub.arrivals().back().body, with_body ? "[1]" : "") << method;
            EXPECT_EQ(stub.arrivals().back().count_of("Content-Type"), 0U) << method;
        }
    }
}

TEST_F(HttpCalls, an_empty_header_is_sent_and_framing_headers_are_not_taken_from_the_caller)
{
    stub.on("/h", Reply{});
    HttpRequest request = post("/h", "body");
    request.headers.emplace_back("X-Empty", "");
    request.headers.emplace_back("content-LENGTH", "99");
    request.headers.emplace_back("Transfer-Encoding", "chunked");
    request.headers.emplace_back("Expect", "100-continue");
    EXPECT_EQ(call(request).status, 200);
    const Arrival arrival = stub.arrivals().at(0);
    EXPECT_EQ(arrival.count_of("X-Empty"), 1U);
    EXPECT_EQ(arrival.header("Content-Length"), "4");
    EXPECT_EQ(arrival.count_of("Content-Length"), 1U);
    EXPECT_EQ(arrival.count_of("Transfer-Encoding"), 0U);
    EXPECT_EQ(arrival.count_of("Expect"), 0U);
    EXPECT_EQ(arrival.body, "body");
}

TEST_F(HttpCalls, a_path_is_not_folded)
{
    stub.on("/a/../b/./c", Reply{});
    EXPECT_EQ(call(get("/a/../b/./c")).status, 200);
    EXPECT_EQ(stub.arrivals().at(0).target, "/a/../b/./c");
}

TEST_F(HttpCalls, what_would_break_out_of_its_line_is_refused_before_connecting)
{
    HttpRequest good = get("/x");
    std::vector<HttpRequest> bad(7, good);
    bad[0].headers = {{"X-A", "1\r\nX-B: 2"}};
    bad[1].headers = {{"X-A", std::string("1\0002", 3)}};
    bad[2].headers = {{"X-A: 1\nX-B", "2"}};
    bad[3].headers = {{"", "2"}};
    bad[4].url += "\r\nX-B: 2";
    bad[5].method = "GET / HTTP/1.1\r\nX: y\r\n\r\nGET";
    bad[6].method = "";
    for (const HttpAnswer& answer : call_all(bad)) {
        EXPECT_EQ(answer.delivery, Delivery::not_sent);
        EXPECT_NE(answer.error, "");
        EXPECT_EQ(answer.error.find("X-B"), std::string::npos);
    }
    EXPECT_EQ(stub.connections(), 0U);
    stub.on("/x", Reply{});
    EXPECT_EQ(call(good).status, 200);
}

TEST_F(HttpCalls, other_protocols_are_not_spoken)
{
    for (const char* url : {"file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/"}) {
        const HttpRequest request{.method = "GET", .url = url, .timeout = 5s};
        const HttpAnswer answer = call(request);
        EXPECT_EQ(answer.delivery, Delivery::not_sent) << url;
        EXPECT_EQ(answer.error, "only http and https are spoken") << url;
    }
}

TEST_F(HttpCalls, two_hundred_calls_at_once_arrive_once_each_and_keep_their_connections)
{
    stub.on("/p",
            [](const Arrival& arrival) { return Reply{.body = arrival.body, .delay = 20ms}; });
    for (int round = 0; round < 3; ++round) {
        std::vector<HttpRequest> requests;
        for (int i = 0; i < 200; ++i) {
            requests.push_back(post("/p", std::to_string(i)));
        }
        const std::vector<HttpAnswer> answers = call_all(requests);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            EXPECT_EQ(answers[i].status, 200) << answers[i].error;
            EXPECT_EQ(answers[i].body, std::to_string(i));
        }
    }
    EXPECT_EQ(stub.arrivals("/p").size(), 600U);
    EXPECT_LE(stub.connections(), 200U);
    EXPECT_EQ(client().in_flight(), 0U);
}

TEST_F(HttpCalls, a_hanging_peer_does_not_hold_up_the_others)
{
    stub.on("/hang", Reply{.manner = Reply::Manner::hang});
    stub.on("/fast", Reply{});
    std::vector<HttpRequest> requests(20, get("/hang"));
    for (HttpRequest& request : requests) {
        request.timeout = 1s;
    }
    requests.resize(40, get("/fast"));
    const std::vector<HttpAnswer> answers = call_all(requests);
    for (std::size_t i = 20; i < 40; ++i) {
        EXPECT_EQ(answers[i].status, 200);
        EXPECT_LT(answers[i].duration, 900ms);
    }
}

TEST_F(HttpCalls, the_environment_names_no_proxy_for_us)
{
    stub.on("/direct", Reply{});
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("all_proxy", "http://127.0.0.1:1", 1);
    const HttpAnswer answer = call(get("/direct"));
    unsetenv("http_proxy");
    unsetenv("all_proxy");
    EXPECT_EQ(answer.status, 200) << answer.error;
}

TEST_F(HttpCalls, a_proxy_from_the_options_is_used)
{
    options.proxy = stub.url("");
    stub.on("http://example.invalid/x", Reply{.body = "by proxy"});
    const HttpRequest request{.method = "GET", .url = "http://example.invalid/x", .timeout = 5s};
    EXPECT_EQ(call(request).body, "by proxy");
}

TEST_F(HttpCalls, no_cookie_is_kept)
{
    stub.on("/c", Reply{.headers = {{"Set-Cookie", "a=b; Path=/"}}});
    call(get("/c"));
    call(get("/c"));
    ASSERT_EQ(stub.arrivals().size(), 2U);
    EXPECT_EQ(stub.arrivals().at(1).count_of("Cookie"), 0U);
}

} // namespace
} // namespace sagabox::transport
