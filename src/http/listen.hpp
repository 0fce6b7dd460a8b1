#pragma once

#include "base/fault.hpp"

#include <cstdint>
#include <string>

#include <sys/socket.h>

namespace sagabox::http {

/// A socket that listens, and the port that it got. The caller closes it.
struct Listener {
    int descriptor = -1;
    std::uint16_t port = 0;
};

/// Binds and listens; `address` is numeric or a host name, `port` 0 any free one. The fault's text
/// names both and says what to do.
[[nodiscard]] Result<Listener> listen_on(const std::string& address, std::uint16_t port);

/// The address in text, without port; empty for a family other than IPv4 and IPv6.
[[nodiscard]] std::string address_text(const sockaddr* address);

} // namespace sagabox::http
