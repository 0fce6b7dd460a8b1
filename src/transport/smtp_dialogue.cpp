#include "transport/smtp_dialogue.hpp"

#include "transport/mime_stream.hpp"
#include "transport/smtp_syntax.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace sagabox::transport {

namespace {

using Stage = SmtpAnswer::Stage;
using Wire = SmtpConnection::Wire;

constexpr int closing = 421;  ///< the server says so at any stage
constexpr int refusals = 400; ///< and above

std::string_view describe(Wire wire)
{
    return wire == Wire::late ? "no reply in time"
                              : "the connection was closed before a reply came";
}

bool agrees(const SmtpReply& reply)
{
    return reply.code / 100 == 2;
}

/// Sends a command and hears what is said to it: a refusal, or a reply of the class that agrees.
/// Without either the code is 0, and `answer.error` says why.
Task<SmtpReply> ask(SmtpConnection& connection, std::string command, int agreeing,
                    SmtpAnswer& answer, Deadline deadline)
{
    command += "\r\n";
    const Wire sent = co_await connection.send(command, deadline);
    if (sent == Wire::late) {
        answer.error = describe(sent);
        co_return SmtpReply();
    }
    // A server that closes may have said why before.
    SmtpConnection::Heard heard = co_await connection.hear(deadline);
    if (heard.wire != Wire::fine) {
        answer.error = describe(heard.wire);
    } else if (heard.reply.code < refusals && heard.reply.code / 100 != agreeing) {
        answer.error = "what the server says is not SMTP";
        heard.reply = SmtpReply();
    }
    co_return std::move(heard.reply);
}

std::string mail_command(const SmtpRequest& request, const SmtpOffers& offers, std::size_t size,
                         bool utf8)
{
    return fmt::format("MAIL FROM:<{}>{}{}", request.sender,
                       offers.size ? fmt::format(" SIZE={}", size) : "", utf8 ? " SMTPUTF8" : "");
}

/// Asks for each recipient, until the server closes; how many it accepted.
Task<std::size_t> ask_for_recipients(SmtpConnection& connection, const SmtpRequest& request,
                                     SmtpAnswer& answer, Deadline deadline)
{
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < request.recipients.size(); ++i) {
        std::string command = fmt::format("RCPT TO:<{}>", request.recipients[i]);
        SmtpReply reply = co_await ask(connection, std::move(command), 2, answer, deadline);
        answer.rcpt[i] = reply;
        accepted += agrees(reply) ? 1U : 0U;
        answer.reply = std::move(reply);
        if (answer.reply.code == 0 || answer.reply.code == closing) {
            co_return 0;
        }
    }
    co_return accepted;
}

/// Sends the message and the final dot; whether that dot has left.
Task<Wire> send_message(SmtpConnection& connection, MimeStream& message, Deadline deadline)
{
    std::string piece;
    std::string next;
    bool more = message.read(piece);
    while (more) {
        next.clear();
        more = message.read(next);
        // Each piece ends with a line, or else the next one begins within it.
        while (more && !piece.ends_with('\n')) {
            piece += std::exchange(next, {});
            more = message.read(next);
        }
        piece = dots_doubled(std::move(piece));
        if (!more) {
            piece += ".\r\n";
        }
        const Wire wire = co_await connection.send(piece, deadline);
        if (wire != Wire::fine) {
            co_return wire;
        }
        std::swap(piece, next);
    }
    co_return Wire::fine;
}

/// DATA and what follows, once a recipient was accepted.
Task<void> deliver(SmtpConnection& connection, MimeStream& message, SmtpAnswer& answer,
                   Deadline deadline)
{
    answer.stage = Stage::data;
    answer.reply = co_await ask(connection, "DATA", 3, answer, deadline);
    if (answer.reply.code / 100 != 3) {
        co_return;
    }
    answer.reply = SmtpReply();
    const Wire sent = co_await send_message(connection, message, deadline);
    if (sent == Wire::late) {
        answer.error = "the message could not be sent in time";
        co_return;
    }
    if (sent == Wire::fine) {
        answer.stage = Stage::final_dot;
    }
    const SmtpConnection::Heard heard = co_await connection.hear(deadline);
    answer.reply = heard.reply;
    if (sent != Wire::fine && heard.reply.code < refusals) {
        answer.reply = SmtpReply();
        answer.error = "the connection broke while the message was sent";
    } else if (heard.wire != Wire::fine) {
        answer.error = describe(heard.wire);
    }
}

} // namespace

Task<bool> hold_dialogue(SmtpConnection& connection, const SmtpRequest& request, SmtpAnswer& answer,
                         Deadline deadline)
{
    const bool utf8 = needs_utf8(request);
    answer.stage = Stage::sender;
    answer.rcpt.assign(request.recipients.size(), SmtpReply());
    if (utf8 && !connection.offers().utf8) {
        answer.error = "the server takes nothing beyond ASCII in addresses (no SMTPUTF8)";
        co_return true;
    }
    MimeStream message(request.headers, request.body);
    std::string command = mail_command(request, connection.offers(), message.size(), utf8);
    answer.reply = co_await ask(connection, std::move(command), 2, answer, deadline);
    if (!agrees(answer.reply)) {
        const bool gone = answer.reply.code == 0 || answer.reply.code == closing;
        co_return !gone || deadline.passed();
    }
    answer.stage = Stage::rcpt;
    const std::size_t accepted = co_await ask_for_recipients(connection, request, answer, deadline);
    if (accepted > 0) {
        co_await deliver(connection, message, answer, deadline);
    }
    co_return true;
}

} // namespace sagabox::transport
