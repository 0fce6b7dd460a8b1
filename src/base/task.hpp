#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

namespace sagabox {

/// A coroutine that runs on one executor and is awaited by exactly one other.
///
/// A task is always a named function or member function, and takes by value whatever must outlive
/// its first suspension: g++ 12 destroys the captures of a coroutine lambda twice.
template <class T = void>
using Task = asio::awaitable<T>;

using Executor = asio::any_io_executor;

} // namespace sagabox
