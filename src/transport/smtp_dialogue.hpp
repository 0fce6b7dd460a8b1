#pragma once

#include "transport/smtp_connection.hpp"

namespace sagabox::transport {

/// Sends one message over a connection that waits for one: MAIL, each RCPT, DATA, the message, the
/// final dot. Tells into `answer` how far it came; `answer.rcpt` holds a reply for each recipient.
///
/// False where the connection turned out to be of no use before anything but MAIL had left, so that
/// the message may go over another one. `request` and `answer` must outlive the task.
[[nodiscard]] Task<bool> hold_dialogue(SmtpConnection& connection, const SmtpRequest& request,
                                       SmtpAnswer& answer, Deadline deadline);

} // namespace sagabox::transport
