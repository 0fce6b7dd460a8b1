#pragma once

#include "transport/http_client.hpp"

#include <string_view>

namespace sagabox::transport {

/// What keeps this request from being sent as the one message that it is meant to be; empty:
/// nothing. The text names the part at fault and none of its content. libcurl passes line breaks on
/// as they are.
[[nodiscard]] std::string_view why_refused(const HttpRequest& request);

/// Whether a header says how the message or its connection is framed, which only the client knows.
[[nodiscard]] bool is_framing_header(std::string_view name);

/// Header names are compared without regard to case.
[[nodiscard]] bool same_header(std::string_view one, std::string_view other);

} // namespace sagabox::transport
