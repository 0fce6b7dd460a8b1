#pragma once

#include "transport/smtp_client.hpp"

#include <string>
#include <string_view>

namespace sagabox::transport {

/// Puts a reply together from its lines (RFC 5321 section 4.2).
class SmtpReplyReader {
public:
    enum class Taken : std::uint8_t {
        more,    ///< the reply goes on
        whole,   ///< `reply` is complete
        garbage, ///< no line of a reply
    };

    /// Takes one line, with or without its line break.
    [[nodiscard]] Taken take(std::string_view line);

    /// What has come so far. The code is 0 until the reply is whole.
    [[nodiscard]] const SmtpReply& reply() const { return reply_; }

    void forget();

private:
    SmtpReply reply_;
    std::string text_;
};

/// What a server offers in its answer to EHLO, as far as it matters here.
struct SmtpOffers {
    bool size = false;
    bool utf8 = false;

    /// Reads a line of the answer.
    void take(std::string_view line);
};

} // namespace sagabox::transport
