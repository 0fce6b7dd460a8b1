#pragma once

#include "base/scope.hpp"
#include "base/task.hpp"
#include "core/mail.hpp"
#include "engine/breakers.hpp"
#include "engine/db_clock.hpp"
#include "mail/message.hpp"
#include "store/mail.hpp"
#include "store/session.hpp"
#include "transport/http_client.hpp"
#include "transport/smtp_client.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace sagabox::engine {

/// Sends stored messages for a worker's sagas, and keeps the providers' breakers.
///
/// Decides nothing about a message: `core::decide` has named the provider, and reads the answer.
/// Holds at most `memory` bytes of messages at once, or one message that is larger: the others wait
/// their turn, under leases that go on being renewed.
class Mailer {
public:
    Mailer(Executor executor, pg::Options database, const std::string& purpose,
           transport::HttpClient& http, transport::SmtpClient::Options smtp, DbClock& clock,
           std::size_t memory);

    /// The share of the memory bound that one message takes until it is destroyed.
    class Share {
    public:
        Share(Mailer& mailer, std::size_t bytes) : mailer_(&mailer), bytes_(bytes) {}
        ~Share();
        Share(Share&& other) noexcept;
        Share& operator=(Share&&) = delete;
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;

    private:
        Mailer* mailer_;
        std::size_t bytes_;
    };

    /// A message that is ready to leave.
    struct Ready {
        std::variant<transport::SmtpRequest, transport::HttpRequest> request;
        std::vector<std::string> recipients; ///< bare addresses of this try
        Share share;
    };
    /// It can't be sent as it is.
    struct Unsendable {
        std::string why;
    };
    /// The provider is left out, as `left_out` now says: decide again.
    struct NotNow {};
    using Prepared = std::variant<Ready, Unsendable, NotNow>;

    /// Fetches a message and puts it together, however long the database takes. `key` is the
    /// idempotency key for providers that speak HTTP.
    [[nodiscard]] Task<Prepared> prepare(std::shared_ptr<const core::MailPlan> plan,
                                         core::Mailing mailing, std::string key);

    /// Hands a message to the provider: one try.
    [[nodiscard]] Task<core::MailAnswer>
    deliver(Ready ready, std::shared_ptr<const core::MailPlan> plan, std::string provider);

    /// Takes note of how a try went, and writes down a breaker that opens or closes by it.
    [[nodiscard]] Task<void> tried(std::shared_ptr<const core::MailPlan> plan, core::StepResult row,
                                   std::string provider);

    [[nodiscard]] Breakers::LeftOut left_out() const;

    /// Nothing more is prepared: who waits for room or for the database is told `NotNow`.
    void drain();

    /// Before the thread ends: an open connection would keep it.
    void close() { session_.close(); }

private:
    class Turn;
    Task<void> wait_for_turn();
    Task<std::optional<std::optional<store::StoredMail>>> fetch(std::int64_t id);
    Task<std::optional<std::optional<std::string>>> fetch_attachment(std::int64_t id);
    Task<bool> may_try(std::chrono::milliseconds open_for, std::string provider);
    Task<std::optional<Share>> take_share(std::size_t bytes);
    Prepared put_together(const core::MailPlan& plan, const core::MailProvider& provider,
                          const core::Mailing& mailing, mail::Message message, std::string key,
                          Share share) const;

    store::Session session_;
    transport::HttpClient& http_;
    transport::SmtpClient smtp_;
    DbClock& clock_;
    Breakers breakers_;
    std::size_t memory_;
    std::size_t taken_ = 0;
    std::uint64_t next_ticket_ = 0; ///< of those who want room, in the order in which they came
    std::uint64_t served_ = 0;
    Signal room_;
    bool draining_ = false;
    bool session_taken_ = false; ///< a connection carries one statement at a time
    Signal session_free_;
};

} // namespace sagabox::engine
