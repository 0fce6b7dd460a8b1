#pragma once

#include "base/fault.hpp"
#include "core/call.hpp"
#include "core/mail.hpp"
#include "mail/message.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace sagabox::mail {

/// The call by which `provider` is asked to send `message` to `recipients`, bare addresses as
/// `compose` gives them. Only they stand in its `to`, `cc` and `bcc`, lists of `{email, name}`; the
/// first of these lists that has anybody takes the place of an empty `to`, save that several of
/// `bcc` never do, since each would see the others.
///
/// `attachments` is a list of `{fileName, contentType, content}`, the content in base64; what the
/// message lacks is an empty string or list. The provider's headers win over ours, but nobody's
/// over `Idempotency-Key`. Fails where the template has a list inside a string, an address can't be
/// read, or a field holds CR, LF or NUL that must not.
[[nodiscard]] Result<core::Request> http_request_for(const Message& message, std::string_view from,
                                                     const std::vector<std::string>& recipients,
                                                     const core::HttpMailProvider& provider,
                                                     std::chrono::milliseconds timeout,
                                                     std::string idempotency_key);

/// What the provider's answer means for each of `recipients`: 250 for one that was taken, 550 for
/// one that was refused for good, 450 for one that the answer does not name, and no code where the
/// answer as a whole was no success. A path may select addresses, lists of them, and objects with
/// `email`. Without a path of the accepted, all are but the refused.
[[nodiscard]] core::MailAnswer read_http_answer(const core::HttpMailProvider& provider,
                                                const std::vector<std::string>& recipients,
                                                core::Answer answer);

} // namespace sagabox::mail
