#pragma once

#include "core/call.hpp"
#include "core/plan.hpp"
#include "core/saga.hpp"
#include "core/template.hpp"
#include "json/path.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sagabox::core {

/// The destination that sends mail. It has no route in the configuration; providers take its place.
inline constexpr std::string_view mail_destination = "email";

/// A provider that speaks SMTP (RFC 5321).
struct SmtpProvider {
    enum class Security : std::uint8_t {
        starttls, ///< RFC 3207, demanded: without it no password and no mail leaves
        tls,      ///< from the first byte (RFC 8314)
        none,     ///< plain: for a server on this machine
    };
    std::string host;
    std::uint16_t port = 587;
    Security security = Security::starttls;
    std::string user; ///< empty: no AUTH
    std::string password;
    std::string ca_file; ///< PEM of the authorities to trust; empty: the system's
};

/// A provider that takes mail by HTTP.
struct HttpMailProvider {
    std::string method = "POST";
    std::string url;
    Headers headers;
    /// The body; its placeholders are `from`, `to`, `cc`, `bcc`, `replyTo`, `subject`, `text`,
    /// `html`, `attachments`, `messageId`, `correlationId`, `documentType`, `idempotencyKey`.
    BodyTemplate body;
    Classification classify;
    /// Which addresses an answer that succeeded says were taken, and which were refused for good;
    /// none: all were taken. One that neither path selects is tried again.
    std::optional<json::Path> accepted;
    std::optional<json::Path> refused;
};

struct MailProvider {
    std::string name;
    std::string shown_url; ///< `smtp://host:port` or the URL, without secrets: goes into the rows
    std::chrono::milliseconds timeout{60'000}; ///< of one try as a whole
    std::variant<SmtpProvider, HttpMailProvider> how;
};

/// Everything that configuration says about sending mail.
struct MailPlan {
    std::string from; ///< address with or without a display name, as RFC 5322 writes it
    std::vector<MailProvider> providers; ///< in order of preference; never empty
    int max_retries = 5;                 ///< rounds over the providers after the first
    Backoff backoff{BackoffKind::linear, std::chrono::seconds{30}, std::chrono::hours{1}, 0};
    int breaker_failures = 5; ///< failures in a row, by the provider's fault, that leave it out
    std::chrono::milliseconds breaker_open_for{30'000};

    [[nodiscard]] const MailProvider* provider(std::string_view name) const;
};

/// One try of one provider that is to be made: which stored message, and who is still to get it.
struct Mailing {
    std::int64_t message = 0; ///< `email_messages.id`
    std::string provider;
    std::vector<std::string> accepted; ///< have it already, and never get it again
    std::vector<std::string> refused;  ///< were refused for good
    int attempt = 1;
};

/// What a server said to one command (RFC 5321 section 4.2).
struct SmtpReply {
    int code = 0;     ///< 0: none came
    std::string text; ///< without the code; lines joined by a space
};

/// How a try went, as far as the wire tells. What it means is `record_mail`'s.
struct MailAnswer {
    struct Recipient {
        std::string address;
        SmtpReply reply; ///< to RCPT
    };

    /// How far an SMTP dialogue came: the stage at which it ended.
    enum class Stage : std::uint8_t {
        nothing,   ///< no try was made: the message can't be sent as it is; `error` says why
        connect,   ///< no connection, no greeting, or TLS failed
        hello,     ///< EHLO, STARTTLS
        auth,      ///< AUTH
        sender,    ///< MAIL FROM
        rcpt,      ///< every recipient was answered, and none was accepted; or it broke off there
        data,      ///< DATA was refused, or it broke off before the final dot left
        final_dot, ///< the final dot left
        http,      ///< the provider speaks HTTP; `http` holds its answer
    };

    Stage stage = Stage::connect;
    SmtpReply reply; ///< the last one; with `final_dot`, to the message itself; code 0: none came
    std::vector<Recipient> recipients; ///< those of this try, in order
    std::optional<Answer> http;
    std::string error; ///< plain words, where no reply says it; no secret
    std::chrono::milliseconds duration{0};
};

/// The row that a try becomes with this answer; `now` is PostgreSQL's clock, as well as we know it.
/// Whose fault a refusal is, and so what comes next, is decided here and read back from the row:
///
/// - the provider's (no connection, TLS, EHLO, AUTH, MAIL FROM, 421 to a RCPT or to DATA, DATA or
/// the
///   message refused with 4yz, broken off before the final dot; HTTP 408, 425, 429, 5xx but 502 and
///   504, no connection, and what is about the account or the address: 3xx, 401 to 405, 407): the
///   next provider, now;
/// - the size's (552 to anything but a RCPT, HTTP 413): the next provider, now, and nothing against
///   this one;
/// - a recipient's (RCPT 5yz): that recipient is refused for good, by whatever provider. RCPT 4yz
///   is greylisting, and 552 a full mailbox: the same provider later;
/// - the message's (another 5yz to DATA or to the message, another HTTP 4xx, a message that can't
/// be
///   composed): refused for good;
/// - nobody's: the final dot left and no reply came, or an HTTP call was sent and not answered:
///   unknown, and the same provider later, under the same Message-ID.
///
/// The row succeeded when every recipient has been accepted, was rejected when none is left to be
/// tried and some were refused, and failed otherwise.
[[nodiscard]] StepResult record_mail(const Mailing& mailing, const MailProvider& provider,
                                     StepResult row, const MailAnswer& answer, DbTime now,
                                     std::chrono::milliseconds max_retry_after);

/// Whether a row of a mail step tells against its provider's health, for it (the provider answered
/// as one that works does), or neither.
enum class Health : std::uint8_t { good, bad, silent };
[[nodiscard]] Health provider_health(const StepResult& row);

} // namespace sagabox::core
