#pragma once

#include "shop/message.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shop {

/// A message as a provider has taken it.
struct TakenMail {
    std::string provider; ///< `first`, `second` or `smtp`
    std::string message_id;
    std::string from;
    std::vector<std::string> to; ///< of the envelope
    std::string subject;
    std::size_t attachments = 0;
};

/// Reads what the simulated HTTP providers are sent; nothing where it is no such document.
[[nodiscard]] std::optional<TakenMail> read_http_mail(std::string_view provider,
                                                      std::string_view body);

/// Reads a message with its headers (RFC 5322), as far as a ledger needs to know it.
[[nodiscard]] TakenMail read_smtp_mail(std::string from, std::vector<std::string> to,
                                       std::string_view data);

/// What the simulated mail providers have taken, the latest thousand messages. In memory only.
/// Thread-safe.
class Mailbox {
public:
    static constexpr std::size_t most_kept = 1'000;

    void take(TakenMail mail);
    void reset();

    /// Newest first, with how often each Message-ID was taken; `to` asks for one recipient's.
    [[nodiscard]] Json read(std::string_view to) const;

private:
    struct Kept {
        TakenMail mail;
        std::uint64_t sequence;
    };
    mutable std::mutex mutex_;
    std::uint64_t sequence_ = 0;
    std::deque<Kept> kept_;
};

} // namespace shop
