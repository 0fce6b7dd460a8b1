// Cancelled calls and clients that are destroyed with calls in flight.
#include "transport/http_calls_test.hpp"

#include <asio/error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/system_error.hpp>

namespace sagabox::transport {
namespace {

using Manner = Reply::Manner;

Task<void> call_until_stopped(HttpClient& client, HttpRequest request, int& stopped)
{
    try {
        co_await client.call(std::move(request));
    } catch (const asio::system_error& e) {
        stopped += e.code() == asio::error::operation_aborted ? 1 : 0;
        throw;
    }
}

/// Runs the loop until the stub has seen `n` arrivals.
void run_until_arrived(asio::io_context& context, const StubServer& stub, std::size_t n)
{
    const Deadline deadline = Deadline::after(10s);
    while (stub.arrivals().size() < n && !deadline.passed()) {
        context.run_one_for(5ms);
    }
    ASSERT_EQ(stub.arrivals().size(), n);
}

TEST_F(HttpCalls, a_cancelled_task_has_its_call_cut)
{
    stub.on("/hang", Reply{.manner = Manner::hang});
    stub.on("/fast", Reply{});
    int stopped = 0;
    for (int i = 0; i < 3; ++i) {
        scope.start(call_until_stopped(client(), post("/hang"), stopped));
    }
    run_until_arrived(context, stub, 3);
    EXPECT_EQ(client().in_flight(), 3U);
    scope.cancel();
    scope.cancel(); // a second cancel finds nothing left to do
    context.run();
    EXPECT_EQ(stopped, 3);
    EXPECT_EQ(client().in_flight(), 0U);
    EXPECT_TRUE(stub.wait_for_open_connections(0, 5s));
    EXPECT_EQ(call(post("/fast")).status, 200);
    EXPECT_EQ(stub.arrivals("/hang").size(), 3U);
}

TEST_F(HttpCalls, destroying_the_client_ends_the_calls_in_flight)
{
    stub.on("/hang", Reply{.manner = Manner::hang});
    auto doomed = std::make_unique<HttpClient>(context.get_executor(), options);
    int stopped = 0;
    for (int i = 0; i < 5; ++i) {
        scope.start(call_until_stopped(*doomed, post("/hang"), stopped));
    }
    run_until_arrived(context, stub, 5);
    doomed.reset();
    context.run();
    EXPECT_EQ(stopped, 5);
    EXPECT_TRUE(stub.wait_for_open_connections(0, 5s));
}

TEST_F(HttpCalls, a_loop_that_is_destroyed_first_leaves_nothing_behind)
{
    stub.on("/hang", Reply{.manner = Manner::hang});
    asio::io_context short_lived{1};
    auto calls = std::make_unique<Scope>(short_lived.get_executor(), "test");
    int stopped = 0;
    {
        HttpClient doomed(short_lived.get_executor(), options);
        calls->start(call_until_stopped(doomed, post("/hang"), stopped));
        run_until_arrived(short_lived, stub, 1);
    }
    short_lived.run();
    EXPECT_EQ(stopped, 1);
    EXPECT_EQ(calls->running(), 0U);
}

TEST_F(HttpCalls, an_idle_client_does_not_keep_the_loop_running)
{
    stub.on("/fast", Reply{});
    const auto began_at = std::chrono::steady_clock::now();
    HttpRequest request = post("/fast");
    request.timeout = 60s;
    EXPECT_EQ(call(request).status, 200);
    EXPECT_LT(std::chrono::steady_clock::now() - began_at, 2s);
}

Task<void> call_again_and_again(HttpClient& client, HttpRequest request, int times, int& succeeded)
{
    for (int i = 0; i < times; ++i) {
        HttpRequest copy = request;
        const HttpAnswer answer = co_await client.call(std::move(copy));
        succeeded += answer.status == 200 ? 1 : 0;
    }
}

TEST_F(HttpCalls, calls_made_from_the_end_of_calls_all_arrive_once)
{
    stub.on("/again", Reply{.body = "{}"});
    int succeeded = 0;
    for (int i = 0; i < 20; ++i) {
        scope.start(call_again_and_again(client(), post("/again"), 50, succeeded));
    }
    context.run();
    EXPECT_EQ(succeeded, 1000);
    EXPECT_EQ(stub.arrivals("/again").size(), 1000U);
    EXPECT_LE(stub.connections(), 20U);
}

} // namespace
} // namespace sagabox::transport
