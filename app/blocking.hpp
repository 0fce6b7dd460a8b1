#pragma once

#include "base/scope.hpp"
#include "base/task.hpp"

#include <optional>
#include <utility>

#include <asio/io_context.hpp>

namespace sagabox::app {

/// Keeps what a task returns for the thread that waits for it.
template <class T>
Task<void> keep_result(Task<T> task, std::optional<T>& result)
{
    result = co_await std::move(task);
}

/// Runs a task to its end on this thread.
template <class T>
T run_blocking(asio::io_context& context, Task<T> task)
{
    std::optional<T> result;
    Scope scope(context.get_executor(), "command");
    scope.start(keep_result(std::move(task), result));
    context.restart();
    context.run();
    return std::move(*result);
}

} // namespace sagabox::app
