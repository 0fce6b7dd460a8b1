#pragma once

#include "base/clock.hpp"
#include "core/mail.hpp"
#include "transport/http_client.hpp"
#include "transport/smtp_client.hpp"

#include <string>
#include <vector>

namespace sagabox::engine {

/// `now` is the time of sending, which a signature holds.
[[nodiscard]] transport::HttpRequest to_http(core::Request request, DbTime now);

/// What came over the wire, in core's words.
[[nodiscard]] core::Answer to_answer(transport::HttpAnswer answer);
[[nodiscard]] core::MailAnswer to_answer(transport::SmtpAnswer answer,
                                         const std::vector<std::string>& recipients);

} // namespace sagabox::engine
