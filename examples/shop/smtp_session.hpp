#pragma once

#include "shop/smtp_receiver.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace shop {

/// The server's side of one SMTP dialogue, without the socket: bytes in, bytes out.
class SmtpSession {
public:
    static constexpr std::size_t largest_message = std::size_t{40} << 20;
    static constexpr std::size_t longest_line = 4'096;

    explicit SmtpSession(const SmtpReceiver::Taker& take) : take_(take) {}

    [[nodiscard]] std::string greeting() const { return "220 demo ESMTP\r\n"; }

    /// What is to be answered to these bytes; empty: nothing yet.
    [[nodiscard]] std::string received(std::string_view bytes);

    /// How much later the last answer is to leave; asked once for each.
    [[nodiscard]] std::chrono::milliseconds take_delay() { return std::exchange(delay_, {}); }

    /// The client has said goodbye, or can't be understood: close after the answer.
    [[nodiscard]] bool over() const { return over_; }

private:
    std::string command(std::string_view line);
    std::string mail_from(std::string_view argument);
    std::string rcpt_to(std::string_view argument);
    bool take_data(std::string& answers);
    void forget();

    const SmtpReceiver::Taker& take_;
    std::string input_;
    SmtpReceiver::Envelope envelope_;
    std::chrono::milliseconds delay_{0};
    std::size_t searched_ = 0; ///< of the message's bytes: no end of data begins before here
    bool has_sender_ = false;
    bool in_data_ = false;
    bool over_ = false;
};

} // namespace shop
