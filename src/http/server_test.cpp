#include "http/server.hpp"

#include "http/raw_client_test.hpp"

#include <atomic>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>

namespace sagabox::http {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Server::Options any_port()
{
    return {.port = 0, .threads = 2, .max_body = 1000, .max_stream_backlog = 100'000};
}

std::unique_ptr<Server> start(Server::Handler handler, Server::Options options = any_port())
{
    auto server = Server::start(std::move(options), std::move(handler));
    EXPECT_TRUE(server) << server.error().text();
    return std::move(*server);
}

Response text(std::string body)
{
    return {.status = 200, .headers = {{"Content-Type", "text/plain"}}, .body = std::move(body)};
}

Response echo(const Request& request)
{
    return text(request.method + " " + request.path + " " + request.body);
}

std::string get(std::string_view target)
{
    return "GET " + std::string(target) + " HTTP/1.1\r\nHost: here\r\n\r\n";
}

TEST(Server, answers_with_what_the_handler_gives)
{
    const auto server = start([](const Request& request) {
        EXPECT_EQ(request.query_value("q"), "a b");
        EXPECT_EQ(request.header("x-thing"), "7");
        EXPECT_EQ(request.peer, "127.0.0.1");
        return echo(request);
    });
    RawClient client(server->port());
    client.send("POST /things%2F1?q=a+b HTTP/1.1\r\nHost: here\r\nX-Thing: 7\r\n"
                "Content-Length: 5\r\n\r\nhello");
    EXPECT_THAT(client.read_answer(),
                AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("Content-Type: text/plain\r\n"),
                      HasSubstr("\r\n\r\nPOST /things/1 hello")));
}

TEST(Server, keeps_a_connection_for_further_requests_and_pipelined_ones)
{
    const auto server = start(echo);
    RawClient client(server->port());
    client.send(get("/1"));
    EXPECT_THAT(client.read_answer(), HasSubstr("GET /1"));
    client.send(get("/2") + get("/3"));
    EXPECT_THAT(client.read_answer(), HasSubstr("GET /2"));
    EXPECT_THAT(client.read_answer(), HasSubstr("GET /3"));
}

TEST(Server, gives_a_head_request_the_headers_of_a_get_and_no_body)
{
    const auto server = start(echo);
    RawClient client(server->port());
    client.send("HEAD /x HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n");
    const std::string answer = client.read_until("never");
    EXPECT_THAT(answer, HasSubstr("Content-Length: 7\r\n"));
    EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
}

TEST(Server, hands_methods_that_it_does_not_know_to_the_handler)
{
    const auto server = start(echo);
    RawClient client(server->port());
    client.send("PROPFIND /x HTTP/1.1\r\nHost: here\r\n\r\n");
    EXPECT_THAT(client.read_answer(), HasSubstr("PROPFIND /x"));
}

TEST(Server, refuses_a_target_that_cannot_be_decoded)
{
    std::atomic<int> calls = 0;
    const auto server = start([&](const Request& request) {
        ++calls;
        return echo(request);
    });
    for (const char* target : {"/%00", "/%zz", "/a?b=%", "/%ff"}) {
        RawClient client(server->port());
        client.send(get(target));
        EXPECT_THAT(client.read_answer(),
                    AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("application/problem+json")));
    }
    EXPECT_EQ(calls, 0);
}

TEST(Server, refuses_a_body_whose_end_is_not_clear)
{
    const auto server = start(echo);
    for (const char* framing : {"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
                                "Content-Length: 1\r\nContent-Length: 2\r\n",
                                "Content-Length: -1\r\n", "Transfer-Encoding: gzip\r\n"}) {
        RawClient client(server->port());
        client.send("POST / HTTP/1.1\r\nHost: here\r\n" + std::string(framing) + "\r\n0\r\n\r\n");
        EXPECT_THAT(client.read_answer(), StartsWith("HTTP/1.1 400 ")) << framing;
    }
}

TEST(Server, answers_413_before_a_body_that_says_it_is_too_large_is_sent)
{
    const auto server = start(echo);
    RawClient client(server->port());
    client.send("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1001\r\n\r\n");
    EXPECT_THAT(client.read_answer(), StartsWith("HTTP/1.1 413 "));
}

TEST(Server, answers_413_to_a_chunked_body_that_grows_too_large)
{
    const auto server = start(echo);
    RawClient client(server->port());
    client.send("POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n");
    client.send("578\r\n" + std::string(1400, 'x') + "\r\n0\r\n\r\n");
    EXPECT_THAT(client.read_answer(), StartsWith("HTTP/1.1 413 "));
}

TEST(Server, cuts_a_chunked_body_without_end)
{
    const auto server = start(echo);
    RawClient client(server->port());
    client.send("POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 3; ++i) {
        client.send("3E8\r\n" + std::string(1000, 'x') + "\r\n");
    }
    EXPECT_TRUE(client.closed_by_server());
}

TEST(Server, takes_a_body_of_exactly_the_limit)
{
    const auto server =
        start([](const Request& request) { return text(std::to_string(request.body.size())); });
    RawClient client(server->port());
    client.send("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1000\r\n\r\n" +
                std::string(1000, 'x'));
    EXPECT_TRUE(client.read_answer().ends_with("\r\n\r\n1000"));
}

TEST(Server, refuses_headers_beyond_the_limit)
{
    const auto server = start(echo);
    RawClient client(server->port());
    client.send("GET / HTTP/1.1\r\nHost: here\r\nX-Long: " + std::string(40'000, 'x') + "\r\n\r\n");
    EXPECT_THAT(client.read_until("\r\n"),
                testing::AnyOf(StartsWith("HTTP/1.1 431"), StartsWith("HTTP/1.1 413"), ""));
}

TEST(Server, runs_handlers_at_once)
{
    std::latch both(2);
    const auto server = start([&](const Request& request) {
        both.arrive_and_wait();
        return echo(request);
    });
    RawClient one(server->port());
    RawClient two(server->port());
    one.send(get("/1"));
    two.send(get("/2"));
    EXPECT_THAT(one.read_answer(), HasSubstr("GET /1"));
    EXPECT_THAT(two.read_answer(), HasSubstr("GET /2"));
}

TEST(Server, is_not_held_up_by_clients_that_never_finish_their_request)
{
    const auto server = start(echo);
    std::vector<std::unique_ptr<RawClient>> slow;
    for (int i = 0; i < 20; ++i) {
        slow.push_back(std::make_unique<RawClient>(server->port()));
        slow.back()->send(i % 2 == 0
                              ? "GET / HT"
                              : "POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\nx");
    }
    RawClient quick(server->port());
    quick.send(get("/quick"));
    EXPECT_THAT(quick.read_answer(), HasSubstr("GET /quick"));
    slow[0]->send("TP/1.1\r\nHost: here\r\n\r\n");
    EXPECT_THAT(slow[0]->read_answer(), HasSubstr("GET / "));
}

TEST(Server, closes_an_idle_connection)
{
    auto options = any_port();
    options.idle_timeout = std::chrono::seconds{1};
    const auto server = start(echo, options);
    RawClient client(server->port());
    client.send("GET / HT");
    EXPECT_TRUE(client.closed_by_server());
}

TEST(Server, turns_an_exception_into_a_500_that_says_nothing_of_it)
{
    const auto server =
        start([](const Request&) -> Response { throw std::runtime_error("the secret is 42"); });
    RawClient client(server->port());
    client.send(get("/"));
    EXPECT_THAT(client.read_answer(),
                AllOf(StartsWith("HTTP/1.1 500 "), Not(HasSubstr("the secret"))));
}

TEST(Server, never_sends_a_header_that_holds_a_line_break)
{
    const auto server = start([](const Request&) {
        Response response = text("fine");
        response.headers.emplace_back("X-Name", "a\r\nSet-Cookie: b");
        return response;
    });
    RawClient client(server->port());
    client.send(get("/"));
    EXPECT_THAT(client.read_answer(),
                AllOf(StartsWith("HTTP/1.1 500 "), Not(HasSubstr("Set-Cookie"))));
}

TEST(Server, delays_more_answers_than_it_has_threads)
{
    const auto server = start([](const Request& request) {
        Response response = echo(request);
        response.delay = std::chrono::milliseconds{300};
        return response;
    });
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 20; ++i) {
        clients.push_back(std::make_unique<RawClient>(server->port()));
        clients.back()->send(get("/" + std::to_string(i)));
    }
    for (std::size_t i = 0; i < clients.size(); ++i) {
        EXPECT_THAT(clients[i]->read_answer(), HasSubstr("GET /" + std::to_string(i)));
    }
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_GE(took, std::chrono::milliseconds{300});
    // Two threads that slept would need three seconds.
    EXPECT_LT(took, std::chrono::milliseconds{2500});
}

TEST(Server, stops_while_a_delayed_answer_is_outstanding)
{
    std::latch called(1);
    auto server = start([&](const Request& request) {
        Response response = echo(request);
        response.delay = std::chrono::hours{1};
        called.count_down();
        return response;
    });
    RawClient client(server->port());
    client.send(get("/"));
    called.wait();
    server.reset();
    EXPECT_TRUE(client.closed_by_server());
}

TEST(Server, sends_the_answer_of_a_handler_that_was_running_when_it_was_stopped)
{
    std::latch called(1);
    std::latch stopping(1);
    auto server = start([&](const Request& request) {
        called.count_down();
        stopping.wait();
        return echo(request);
    });
    RawClient client(server->port());
    client.send(get("/late"));
    called.wait();
    std::thread stopper([&] { server.reset(); });
    stopping.count_down();
    EXPECT_THAT(client.read_answer(), HasSubstr("GET /late"));
    stopper.join();
}

TEST(Server, stops_with_requests_half_sent_and_connections_idle)
{
    auto server = start(echo);
    RawClient idle(server->port());
    RawClient half(server->port());
    half.send("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\nx");
    RawClient other(server->port());
    other.send(get("/"));
    other.read_answer();
    server.reset();
    EXPECT_TRUE(half.closed_by_server());
}

TEST(Server, says_that_a_port_is_in_use)
{
    const auto first = start(echo);
    auto options = any_port();
    options.port = first->port();
    const auto second = Server::start(options, echo);
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().text(), AllOf(HasSubstr("in use"), HasSubstr("127.0.0.1"),
                                             HasSubstr(std::to_string(first->port()))));
}

TEST(Server, says_that_an_address_is_not_this_machines)
{
    auto options = any_port();
    options.address = "192.0.2.1";
    const auto server = Server::start(options, echo);
    ASSERT_FALSE(server);
    EXPECT_THAT(server.error().text(), HasSubstr("192.0.2.1"));
}

/// The streams that a server has handed out, for the test to write to.
class Streams {
public:
    void add(std::shared_ptr<Stream> stream)
    {
        const std::lock_guard lock(mutex_);
        stream_ = std::move(stream);
        arrived_.notify_all();
    }
    std::shared_ptr<Stream> wait()
    {
        std::unique_lock lock(mutex_);
        arrived_.wait(lock, [this] { return stream_ != nullptr; });
        return stream_;
    }

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::shared_ptr<Stream> stream_;
};

TEST(ServerStream, carries_what_is_written_as_it_is_written_and_ends_when_closed)
{
    Streams streams;
    const auto server = start(echo);
    server->serve_stream("/s", [&](const Request&, auto stream) { streams.add(stream); });
    RawClient client(server->port());
    client.send(get("/s"));
    const auto stream = streams.wait();
    EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("text/event-stream"));
    for (int i = 0; i < 50; ++i) {
        const std::string line = "data: " + std::to_string(i) + "\n\n";
        EXPECT_TRUE(stream->write(line));
        EXPECT_THAT(client.read_until(line), HasSubstr(line));
    }
    stream->close();
    EXPECT_FALSE(stream->write("more"));
    EXPECT_THAT(client.read_until("0\r\n\r\n"), HasSubstr("0\r\n\r\n"));
}

TEST(ServerStream, notices_at_a_write_that_the_client_has_gone)
{
    Streams streams;
    const auto server = start(echo);
    server->serve_stream("/s", [&](const Request&, auto stream) { streams.add(stream); });
    std::shared_ptr<Stream> stream;
    {
        RawClient client(server->port());
        client.send(get("/s"));
        stream = streams.wait();
    }
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    bool open = true;
    while (open && std::chrono::steady_clock::now() < limit) {
        open = stream->write(":\n");
        std::this_thread::yield();
    }
    EXPECT_FALSE(open);
}

TEST(ServerStream, cuts_off_a_client_that_stopped_reading)
{
    Streams streams;
    const auto server = start(echo);
    server->serve_stream("/s", [&](const Request&, auto stream) { streams.add(stream); });
    RawClient client(server->port());
    client.send(get("/s"));
    const auto stream = streams.wait();
    const std::string chunk(50'000, 'x');
    int written = 0;
    while (stream->write(chunk) && written < 10'000) {
        ++written;
    }
    EXPECT_LT(written, 10'000);
    EXPECT_FALSE(stream->write("x"));
}

TEST(ServerStream, is_not_opened_when_it_is_not_admitted)
{
    std::atomic<int> opened = 0;
    const auto server = start(echo);
    server->serve_stream(
        "/s", [&](const Request&, auto) { ++opened; },
        [](const Request& request) {
            return Response{.status = request.header("Authorization").empty() ? 401 : 200,
                            .headers = {{"X-Ours", "yes"}},
                            .body = "no"};
        });
    RawClient refused(server->port());
    refused.send(get("/s"));
    EXPECT_THAT(refused.read_answer(),
                AllOf(StartsWith("HTTP/1.1 401 "), HasSubstr("X-Ours: yes")));
    EXPECT_EQ(opened, 0);
    RawClient admitted(server->port());
    admitted.send("GET /s HTTP/1.1\r\nHost: here\r\nAuthorization: x\r\n\r\n");
    EXPECT_THAT(admitted.read_until("\r\n\r\n"), HasSubstr("X-Ours: yes"));
}

TEST(ServerStream, ends_when_the_server_stops_and_outlives_it)
{
    Streams streams;
    auto server = start(echo);
    server->serve_stream("/s", [&](const Request&, auto stream) { streams.add(stream); });
    RawClient client(server->port());
    client.send(get("/s"));
    const auto stream = streams.wait();
    client.read_until("\r\n\r\n");
    server.reset();
    EXPECT_FALSE(stream->write("x"));
    EXPECT_THAT(client.read_until("0\r\n\r\n"), HasSubstr("0\r\n\r\n"));
}

TEST(ServerStream, written_by_its_handler_in_a_loop_does_not_hold_up_a_stop)
{
    std::latch called(1);
    auto server = start(echo);
    server->serve_stream("/s", [&](const Request&, auto stream) {
        called.count_down();
        while (stream->write("")) {
            std::this_thread::yield();
        }
    });
    RawClient client(server->port());
    client.send(get("/s"));
    called.wait();
    server.reset();
    EXPECT_THAT(client.read_until("0\r\n\r\n"), HasSubstr("0\r\n\r\n"));
}

} // namespace
} // namespace sagabox::http
