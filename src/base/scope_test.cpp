#include "base/scope.hpp"

#include <gtest/gtest.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>

namespace sagabox {
namespace {

using namespace std::chrono_literals;

Task<void> wait_for(Signal& signal, int& woken, Instant until)
{
    const Deadline deadline{until};
    const bool set = co_await signal.wait(deadline);
    woken += set ? 1 : 0;
}

Task<void> set_and_join(Scope& scope, Signal& signal, bool& joined)
{
    signal.set();
    joined = co_await scope.join(Deadline::after(5s));
}

Task<void> cancel_and_join(Scope& scope, bool& joined)
{
    scope.cancel();
    joined = co_await scope.join(Deadline::after(5s));
}

TEST(Signal, wakes_all_who_wait_and_scope_joins_them)
{
    asio::io_context context;
    Scope waiters(context.get_executor(), "test");
    Scope driver(context.get_executor(), "test");
    Signal signal;
    int woken = 0;
    bool joined = false;
    for (int i = 0; i < 3; ++i) {
        waiters.start(wait_for(signal, woken, std::chrono::steady_clock::now() + 5s));
    }
    driver.start(set_and_join(waiters, signal, joined));
    context.run();
    EXPECT_EQ(woken, 3);
    EXPECT_TRUE(joined);
}

TEST(Signal, wait_ends_at_its_deadline)
{
    asio::io_context context;
    Scope scope(context.get_executor(), "test");
    Signal signal;
    int woken = 0;
    scope.start(wait_for(signal, woken, std::chrono::steady_clock::now() + 5ms));
    context.run();
    EXPECT_EQ(woken, 0);
    EXPECT_EQ(scope.running(), 0U);
}

TEST(Scope, cancel_ends_a_task_that_waits)
{
    asio::io_context context;
    Scope waiters(context.get_executor(), "test");
    Scope driver(context.get_executor(), "test");
    Signal signal;
    int woken = 0;
    bool joined = false;
    waiters.start(wait_for(signal, woken, std::chrono::steady_clock::now() + 1h));
    driver.start(cancel_and_join(waiters, joined));
    context.run();
    EXPECT_EQ(woken, 0);
    EXPECT_TRUE(joined);
}

} // namespace
} // namespace sagabox
