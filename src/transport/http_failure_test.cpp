// Bad answers, cut answers, no answers: what is said of each, and that none takes long or grows.
#include "transport/http_calls_test.hpp"

#include <sys/resource.h>

#include <asio/ip/tcp.hpp>

namespace sagabox::transport {
namespace {

using Manner = Reply::Manner;

/// A port that nobody listens at.
std::uint16_t unused_port()
{
    asio::io_context context;
    const asio::ip::tcp::acceptor acceptor(
        context, asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    return acceptor.local_endpoint().port();
}

TEST_F(HttpCalls, a_refused_connection_was_not_sent)
{
    HttpRequest request = post("/");
    request.url =
        "http://user:pw@127.0.0.1:" + std::to_string(unused_port()) + "/path?token=secret";
    const HttpAnswer answer = call(request);
    EXPECT_EQ(answer.delivery, Delivery::not_sent);
    EXPECT_EQ(answer.error, "connection refused");
}

TEST_F(HttpCalls, an_unknown_host_was_not_sent)
{
    HttpRequest request = post("/");
    request.url = "http://nobody.invalid/path?token=secret";
    const HttpAnswer answer = call(request);
    EXPECT_EQ(answer.delivery, Delivery::not_sent);
    EXPECT_EQ(answer.error, "the host's name is not known");
}

TEST_F(HttpCalls, an_unreadable_url_was_not_sent)
{
    HttpRequest request = post("/");
    request.url = "http://[::1/path";
    const HttpAnswer answer = call(request);
    EXPECT_EQ(answer.delivery, Delivery::not_sent);
    EXPECT_EQ(answer.error, "the URL can't be read");
}

TEST_F(HttpCalls, a_peer_that_never_accepts_was_not_sent)
{
    // A listener whose backlog is full: the kernel drops further handshakes.
    asio::io_context listening;
    asio::ip::tcp::acceptor acceptor(listening);
    acceptor.open(asio::ip::tcp::v4());
    acceptor.bind(asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    acceptor.listen(0);
    asio::ip::tcp::socket queued(listening);
    queued.connect(acceptor.local_endpoint());
    HttpRequest request = post("/");
    request.url = "http://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()) + "/";
    request.timeout = 300ms;
    const HttpAnswer answer = call(request);
    EXPECT_EQ(answer.delivery, Delivery::not_sent);
    EXPECT_EQ(answer.error, "no connection within 300 ms");
    EXPECT_LT(answer.duration, 2s);
}

TEST_F(HttpCalls, a_peer_that_never_answers_is_unanswered_after_the_timeout)
{
    stub.on("/hang", Reply{.manner = Manner::hang});
    HttpRequest request = post("/hang");
    request.timeout = 300ms;
    const HttpAnswer answer = call(request);
    EXPECT_EQ(answer.delivery, Delivery::unanswered);
    EXPECT_EQ(answer.error, "no answer within 300 ms");
    EXPECT_GE(answer.duration, 300ms);
    EXPECT_LT(answer.duration, 2s);
    request.timeout = 1s;
    EXPECT_EQ(call(request).error, "no answer within 1 s");
}

TEST_F(HttpCalls, dripping_headers_do_not_stretch_the_timeout)
{
    stub.on("/drip", Reply{.drip = Reply::Drip::headers, .drip_interval = 50ms});
    HttpRequest request = post("/drip");
    request.timeout = 300ms;
    const HttpAnswer answer = call(request);
    EXPECT_EQ(answer.delivery, Delivery::unanswered);
    EXPECT_LT(answer.duration, 2s);
}

TEST_F(HttpCalls, a_dripping_body_does_not_stretch_the_timeout_and_its_status_is_kept)
{
    stub.on("/drip", Reply{.status = 202,
                           .body = std::string(1000, 'x'),
                           .drip = Reply::Drip::body,
                           .drip_interval = 20ms});
    HttpRequest request = post("/drip");
    request.timeout = 300ms;
    const HttpAnswer answer = call(request);
    EXPECT_EQ(answer.delivery, Delivery::unanswered);
    EXPECT_EQ(answer.status, 202);
    EXPECT_EQ(answer.error, "no whole answer within 300 ms");
    EXPECT_LT(answer.duration, 2s);
}

TEST_F(HttpCalls, a_slow_answer_within_the_timeout_is_whole)
{
    stub.on("/slow", Reply{.body = "slowly", .drip = Reply::Drip::body, .drip_interval = 20ms});
    EXPECT_EQ(call(post("/slow")).body, "slowly");
}

TEST_F(HttpCalls, an_answer_shorter_than_promised_is_unanswered_with_its_status)
{
    stub.on("/cut", Reply{.body = std::string(120, 'x'), .manner = Manner::cut_body});
    const HttpAnswer answer = call(post("/cut"));
    EXPECT_EQ(answer.delivery, Delivery::unanswered);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.error, "the answer was cut off after 120 of 500 bytes");
}

TEST_F(HttpCalls, cut_or_malformed_chunks_are_unanswered_with_their_status)
{
    stub.on("/cut", Reply{.body = "12345", .manner = Manner::cut_chunks});
    stub.on("/bad", Reply{.body = "12345", .manner = Manner::bad_chunk});
    const HttpAnswer cut = call(post("/cut"));
    EXPECT_EQ(cut.delivery, Delivery::unanswered);
    EXPECT_EQ(cut.status, 200);
    EXPECT_EQ(cut.error, "the answer was cut off or malformed after 5 bytes");
    const HttpAnswer bad = call(post("/bad"));
    EXPECT_EQ(bad.delivery, Delivery::unanswered);
    EXPECT_EQ(bad.status, 200);
    EXPECT_EQ(bad.error, "the answer was cut off or malformed after 0 bytes");
}

TEST_F(HttpCalls, whole_chunks_are_joined)
{
    stub.on("/chunked", Reply{.body = "12345", .manner = Manner::chunked});
    const HttpAnswer answer = call(post("/chunked"));
    EXPECT_EQ(answer.delivery, Delivery::answered);
    EXPECT_EQ(answer.body, "12345");
}

TEST_F(HttpCalls, an_answer_that_ends_within_its_headers_is_unanswered)
{
    stub.on("/cut", Reply{.headers = {{"X-A", "1"}}, .manner = Manner::cut_headers});
    const HttpAnswer answer = call(post("/cut"));
    EXPECT_EQ(answer.delivery, Delivery::unanswered);
    EXPECT_EQ(answer.error, "the answer was cut off within its headers");
}

TEST_F(HttpCalls, garbage_instead_of_an_answer_is_unanswered)
{
    stub.on("/garbage", Reply{.body = "SSH-2.0-OpenSSH_9\r\n", .manner = Manner::garbage});
    const HttpAnswer answer = call(post("/garbage"));
    EXPECT_EQ(answer.delivery, Delivery::unanswered);
    EXPECT_EQ(answer.error, "the answer is not HTTP");
}

TEST_F(HttpCalls, an_endless_body_is_cut_at_the_limit_and_grows_no_memory)
{
    stub.on("/big", Reply{.filler = std::size_t{50} << 20});
    rusage before{};
    getrusage(RUSAGE_SELF, &before);
    std::vector<HttpRequest> requests(8, post("/big"));
    for (const HttpAnswer& answer : call_all(requests)) {
        EXPECT_EQ(answer.delivery, Delivery::answered);
        EXPECT_EQ(answer.status, 200);
        EXPECT_TRUE(answer.truncated);
        EXPECT_EQ(answer.body.size(), options.max_body);
    }
    rusage after{};
    getrusage(RUSAGE_SELF, &after);
    EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 100 * 1024); // kilobytes; 400 MiB were offered
    EXPECT_TRUE(stub.wait_for_open_connections(0, 5s));
}

TEST_F(HttpCalls, a_body_of_exactly_the_limit_is_not_cut)
{
    options.max_body = 1000;
    stub.on("/just", Reply{.body = std::string(1000, 'x')});
    stub.on("/over", Reply{.body = std::string(1001, 'x')});
    const HttpAnswer just = call(post("/just"));
    EXPECT_EQ(just.body.size(), 1000U);
    EXPECT_FALSE(just.truncated);
    const HttpAnswer over = call(post("/over"));
    EXPECT_EQ(over.body.size(), 1000U);
    EXPECT_TRUE(over.truncated);
}

TEST_F(HttpCalls, headers_beyond_the_limit_are_unanswered)
{
    stub.on("/headers", Reply{.header_filler = 80'000});
    const HttpAnswer answer = call(post("/headers"));
    EXPECT_EQ(answer.delivery, Delivery::unanswered);
    EXPECT_EQ(answer.error, "the answer's headers are longer than 65536 bytes");
}

TEST_F(HttpCalls, a_status_alone_decides_that_there_is_an_answer)
{
    stub.on("/204", Reply{.status = 204});
    stub.on("/500", Reply{.status = 500, .body = "<html>"});
    stub.on("/401", Reply{.status = 401, .headers = {{"WWW-Authenticate", "Basic realm=x"}}});
    EXPECT_EQ(call(post("/204")).status, 204);
    EXPECT_EQ(call(post("/500")).status, 500);
    EXPECT_EQ(call(post("/401")).status, 401);
    EXPECT_EQ(stub.arrivals().size(), 3U);
}

} // namespace
} // namespace sagabox::transport
