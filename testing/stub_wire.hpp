#pragma once

#include "base/task.hpp"
#include "testing/stub_server.hpp"

#include <optional>
#include <string>

#include <asio/ip/tcp.hpp>

/// How the stub server reads requests and writes answers, proper and improper ones.
namespace sagabox::testing::wire {

/// The next whole request; none when the client is gone or talks no HTTP. `unread` holds what was
/// read beyond it.
Task<std::optional<Arrival>> read_request(asio::ip::tcp::socket& socket, std::string& unread);

/// Answers in the reply's manner; true when the connection may serve another request.
Task<bool> write_reply(asio::ip::tcp::socket& socket, const Reply& reply, bool wants_body);

} // namespace sagabox::testing::wire
