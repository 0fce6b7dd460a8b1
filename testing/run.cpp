#include "testing/run.hpp"

namespace sagabox::testing {

void run_until(asio::io_context& context, const bool& finished)
{
    const auto give_up_at = std::chrono::steady_clock::now() + run_guard;
    context.restart();
    while (!finished) {
        if (context.run_one_until(give_up_at) == 0) {
            throw std::runtime_error(context.stopped() ? "the coroutine waits for nothing"
                                                       : "the coroutine did not end in time");
        }
    }
}

void run(asio::io_context& context, Task<void> task)
{
    bool finished = false;
    std::exception_ptr failure;
    asio::co_spawn(context, std::move(task), [&](std::exception_ptr thrown) {
        failure = std::move(thrown);
        finished = true;
    });
    run_until(context, finished);
    if (failure) {
        std::rethrow_exception(failure);
    }
}

} // namespace sagabox::testing
