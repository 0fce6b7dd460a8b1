#pragma once

#include "transport/smtp_client.hpp"

#include <string_view>

namespace sagabox::transport {

/// What keeps a request from being sent as the one message that it is meant to be; empty: nothing.
/// The text names the part at fault and none of its content.
[[nodiscard]] std::string_view why_refused(const SmtpRequest& request);

/// Whether anything in the envelope or a header lies beyond ASCII, so that only a server with
/// SMTPUTF8 (RFC 6531) may have it.
[[nodiscard]] bool needs_utf8(const SmtpRequest& request);

} // namespace sagabox::transport
