#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shop {

/// A mail server for the demo: speaks enough SMTP (RFC 5321) on loopback to be sent mail by a real
/// client, and hands over what it is sent. Relays nothing, and stores nothing itself.
class SmtpReceiver {
public:
    struct Envelope {
        std::string from;
        std::vector<std::string> to;
    };

    struct Answer {
        bool taken;                         ///< false: refused for now (451)
        std::chrono::milliseconds delay{0}; ///< the answer leaves this much later
    };

    /// Answers a whole message. Called on the receiver's own thread.
    using Taker = std::function<Answer(Envelope envelope, std::string_view data)>;

    /// Listens on any free port of 127.0.0.1; throws where none can be had.
    explicit SmtpReceiver(Taker take);
    ~SmtpReceiver();
    SmtpReceiver(const SmtpReceiver&) = delete;
    SmtpReceiver& operator=(const SmtpReceiver&) = delete;

    [[nodiscard]] std::uint16_t port() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace shop
