#pragma once

#include "base/task.hpp"

#include <chrono>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>

namespace sagabox::testing {

/// Longer than any test may wait: a coroutine that hangs fails its test instead of the whole run.
inline constexpr std::chrono::seconds run_guard{30};

/// Runs `context` until `finished` turns true; throws when that takes longer than the guard.
void run_until(asio::io_context& context, const bool& finished);

/// Runs a coroutine to its end and gives its value. An exception that escapes it is thrown here.
template <class T>
T run(asio::io_context& context, Task<T> task)
{
    bool finished = false;
    std::exception_ptr failure;
    std::optional<T> value;
    asio::co_spawn(context, std::move(task), [&](std::exception_ptr thrown, T result) {
        failure = std::move(thrown);
        if (!failure) {
            value.emplace(std::move(result));
        }
        finished = true;
    });
    run_until(context, finished);
    if (failure) {
        std::rethrow_exception(failure);
    }
    return std::move(*value);
}

void run(asio::io_context& context, Task<void> task);

} // namespace sagabox::testing
