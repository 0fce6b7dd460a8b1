#pragma once

#include "core/saga.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sagabox::core {

/// Whose fault a try's failure was, as its row says (`response_payload.fault`).
enum class MailFault : std::uint8_t {
    none,       ///< nobody's: sent, or unknown
    provider,   ///< the next provider may do better, at once
    size,       ///< too large for this provider; nothing against its health
    recipients, ///< the provider works; some recipients were refused or put off
    message,    ///< no provider will take it
};

[[nodiscard]] std::string_view to_label(MailFault fault);

/// What the stored rows say about the mail step of one event. A round is one attempt: it goes over
/// the providers until one has an answer that ends it, and its rows share their attempt number.
struct MailMemory {
    std::vector<std::string> accepted; ///< have the message, whatever a person has forgiven since
    std::vector<std::string> refused;  ///< refused for good
    int attempts = 0;                  ///< rounds begun
    std::vector<std::string> tried;    ///< providers of the last round, in order
    bool only_size = true;             ///< every try of the last round failed by the size
    MailFault fault = MailFault::none; ///< of the last row
    const StepResult* last = nullptr;  ///< the last row that counts

    /// The provider that may have sent it to somebody who is still open: nobody else may.
    std::string pinned;
    /// The provider that put recipients off (greylisting): it is asked first.
    std::string preferred;
};

/// `last` points into `history`, which must outlive the result.
[[nodiscard]] MailMemory remember_mail(const History& history, std::string_view destination);

} // namespace sagabox::core
