#include "engine/mailer.hpp"

#include "base/invariant.hpp"
#include "base/log.hpp"
#include "engine/wire.hpp"
#include "mail/compose.hpp"
#include "mail/fields.hpp"
#include "mail/http_provider.hpp"
#include "mail/message.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace sagabox::engine {

namespace {

constexpr std::chrono::seconds statement_deadline{30};
constexpr std::chrono::milliseconds pause_after_fault{200};

/// A message is in memory as it was read and as it leaves; the second is shorter-lived by far.
constexpr std::size_t copies = 2;

std::size_t weight(const store::StoredMail& mail)
{
    std::size_t bytes = mail.text.size() + mail.html.size();
    for (const store::MailAttachment& attachment : mail.attachments) {
        bytes += static_cast<std::size_t>(attachment.bytes);
    }
    return copies * bytes;
}

mail::Message to_message(store::StoredMail stored)
{
    mail::Message message;
    message.id = stored.id;
    message.message_id = std::move(stored.message_id);
    message.correlation_id = std::move(stored.correlation_id);
    message.document_type = std::move(stored.document_type);
    message.received_at = stored.received_at;
    message.to = std::move(stored.to);
    message.cc = std::move(stored.cc);
    message.bcc = std::move(stored.bcc);
    message.reply_to = std::move(stored.reply_to);
    message.subject = std::move(stored.subject);
    message.text = std::move(stored.text);
    message.html = std::move(stored.html);
    return message;
}

transport::SmtpRequest to_smtp(const core::SmtpProvider& provider,
                               std::chrono::milliseconds timeout)
{
    using From = core::SmtpProvider::Security;
    using To = transport::SmtpRequest::Security;
    transport::SmtpRequest request;
    request.host = provider.host;
    request.port = provider.port;
    request.security = provider.security == From::tls        ? To::tls
                       : provider.security == From::starttls ? To::starttls
                                                             : To::none;
    request.user = provider.user;
    request.password = provider.password;
    request.ca_file = provider.ca_file;
    request.timeout = timeout;
    return request;
}

} // namespace

Mailer::Mailer(Executor executor, pg::Options database, const std::string& purpose,
               transport::HttpClient& http, transport::SmtpClient::Options smtp, DbClock& clock,
               std::size_t memory)
    : session_(executor, std::move(database), purpose), http_(http),
      smtp_(executor, std::move(smtp)), clock_(clock), memory_(memory)
{
}

Mailer::Share::Share(Share&& other) noexcept
    : mailer_(std::exchange(other.mailer_, nullptr)), bytes_(other.bytes_)
{
}

Mailer::Share::~Share()
{
    if (mailer_ != nullptr) {
        mailer_->taken_ -= bytes_;
        mailer_->room_.set();
    }
}

/// The use of the connection, one statement at a time.
class Mailer::Turn {
public:
    explicit Turn(Mailer& mailer) : mailer_(mailer)
    {
        mailer_.session_taken_ = true;
        mailer_.session_free_.clear();
    }
    ~Turn()
    {
        mailer_.session_taken_ = false;
        mailer_.session_free_.set();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    Mailer& mailer_;
};

void Mailer::drain()
{
    draining_ = true;
    room_.set();
}

Breakers::LeftOut Mailer::left_out() const
{
    return breakers_.left_out(clock_.now());
}

Task<void> Mailer::wait_for_turn()
{
    const Deadline forever{Instant::max()};
    while (session_taken_) {
        co_await session_free_.wait(forever);
    }
}

/// Nothing when the relay stops before there is room. First come, first served: a large message
/// would wait for ever behind small ones that always find room.
Task<std::optional<Mailer::Share>> Mailer::take_share(std::size_t bytes)
{
    const std::uint64_t ticket = next_ticket_++;
    const Deadline forever{Instant::max()};
    while ((ticket != served_ || (taken_ > 0 && taken_ + bytes > memory_)) && !draining_) {
        room_.clear();
        co_await room_.wait(forever);
    }
    if (draining_) {
        co_return std::nullopt;
    }
    ++served_;
    taken_ += bytes;
    room_.set();
    co_return Share(*this, bytes);
}

/// Runs out only when the relay stops.
Task<std::optional<std::optional<store::StoredMail>>> Mailer::fetch(std::int64_t id)
{
    while (!draining_) {
        co_await wait_for_turn();
        const Turn turn(*this);
        pg::Connection* const connection = co_await session_.get();
        const Deadline deadline = Deadline::after(statement_deadline);
        Result<std::optional<store::StoredMail>> loaded =
            co_await store::load_mail(*connection, id, deadline);
        if (loaded) {
            co_return std::optional(std::move(*loaded));
        }
        log::warning("mail", "message {} could not be read yet: {}", id, loaded.error().text());
        const Instant again = std::chrono::steady_clock::now() + pause_after_fault;
        co_await sleep_until(again);
    }
    co_return std::nullopt;
}

/// Without bytes: it is gone. Runs out only when the relay stops.
Task<std::optional<std::optional<std::string>>> Mailer::fetch_attachment(std::int64_t id)
{
    while (!draining_) {
        co_await wait_for_turn();
        const Turn turn(*this);
        pg::Connection* const connection = co_await session_.get();
        const Deadline deadline = Deadline::after(statement_deadline);
        Result<std::string> loaded = co_await store::load_attachment(*connection, id, deadline);
        if (loaded) {
            co_return std::optional(std::move(*loaded));
        }
        if (loaded.error().kind() == Fault::Kind::bad_input) {
            co_return std::optional<std::string>{};
        }
        log::warning("mail", "attachment {} could not be read yet: {}", id, loaded.error().text());
        const Instant again = std::chrono::steady_clock::now() + pause_after_fault;
        co_await sleep_until(again);
    }
    co_return std::nullopt;
}

/// Whether a provider whose time is over may be tried: one try shows how it is, and one worker of
/// one relay makes it.
Task<bool> Mailer::may_try(std::chrono::milliseconds open_for, std::string provider)
{
    if (!breakers_.needs_probe(provider)) {
        co_return true;
    }
    co_await wait_for_turn();
    const Turn turn(*this);
    pg::Connection* const connection = co_await session_.get();
    const Deadline deadline = Deadline::after(statement_deadline);
    const Result<bool> mine =
        co_await store::claim_probe(*connection, provider, open_for, deadline);
    if (mine && *mine) {
        co_return true;
    }
    breakers_.leave_out(provider, clock_.now() + open_for);
    co_return false;
}

Task<Mailer::Prepared> Mailer::prepare(std::shared_ptr<const core::MailPlan> plan,
                                       core::Mailing mailing, std::string key)
{
    const core::MailProvider* provider = plan->provider(mailing.provider);
    SAGABOX_INVARIANT(provider != nullptr, "decide names a provider of this plan");
    std::optional<std::optional<store::StoredMail>> fetched = co_await fetch(mailing.message);
    if (!fetched) {
        co_return NotNow{};
    }
    if (!*fetched) {
        co_return Unsendable{fmt::format("message {} is no longer stored", mailing.message)};
    }
    store::StoredMail stored = std::move(**fetched);
    breakers_.heard(stored.left_out, clock_.now());
    const Breakers::LeftOut out = left_out();
    const auto named = [&provider](const auto& entry) {
        return entry.first == provider->name;
    };
    if (std::any_of(out.begin(), out.end(), named)) {
        co_return NotNow{};
    }
    const bool may = co_await may_try(plan->breaker_open_for, provider->name);
    if (!may) {
        co_return NotNow{};
    }

    std::optional<Share> share = co_await take_share(weight(stored));
    if (!share) {
        co_return NotNow{};
    }
    const std::vector<store::MailAttachment> attachments = std::move(stored.attachments);
    mail::Message message = to_message(std::move(stored));
    for (const store::MailAttachment& attachment : attachments) {
        std::optional<std::optional<std::string>> content =
            co_await fetch_attachment(attachment.id);
        if (!content) {
            co_return NotNow{};
        }
        if (!*content) {
            co_return Unsendable{"an attachment is no longer stored: " + attachment.file_name};
        }
        message.attachments.push_back(
            {attachment.file_name, attachment.content_type, std::move(**content)});
    }
    co_return put_together(*plan, *provider, mailing, std::move(message), std::move(key),
                           std::move(*share));
}

Mailer::Prepared Mailer::put_together(const core::MailPlan& plan,
                                      const core::MailProvider& provider,
                                      const core::Mailing& mailing, mail::Message message,
                                      std::string key, Share share) const
{
    std::vector<std::string> settled = mailing.accepted;
    settled.insert(settled.end(), mailing.refused.begin(), mailing.refused.end());
    if (const auto* http = std::get_if<core::HttpMailProvider>(&provider.how)) {
        const Result<mail::Parties> parties = mail::read_parties(message);
        if (!parties) {
            return Unsendable{parties.error().text()};
        }
        std::vector<std::string> open = mail::envelope_of(*parties, settled);
        // To fewer recipients it is another request: the answer to the first is not repeated.
        if (!settled.empty()) {
            key += fmt::format(":{}", settled.size());
        }
        Result<core::Request> request = mail::http_request_for(message, plan.from, open, *http,
                                                               provider.timeout, std::move(key));
        if (!request) {
            return Unsendable{request.error().text()};
        }
        return Ready{to_http(std::move(*request), clock_.now()), std::move(open), std::move(share)};
    }
    Result<mail::Composed> composed = mail::compose(std::move(message), plan.from, settled);
    if (!composed) {
        return Unsendable{composed.error().text()};
    }
    transport::SmtpRequest request =
        to_smtp(std::get<core::SmtpProvider>(provider.how), provider.timeout);
    request.sender = std::move(composed->sender);
    request.recipients = composed->recipients;
    request.headers = std::move(composed->headers);
    request.body = std::move(composed->body);
    return Ready{std::move(request), std::move(composed->recipients), std::move(share)};
}

Task<core::MailAnswer> Mailer::deliver(Ready ready, std::shared_ptr<const core::MailPlan> plan,
                                       std::string provider)
{
    if (auto* smtp = std::get_if<transport::SmtpRequest>(&ready.request)) {
        transport::SmtpAnswer answer = co_await smtp_.send(std::move(*smtp));
        co_return to_answer(std::move(answer), ready.recipients);
    }
    transport::HttpAnswer answer =
        co_await http_.call(std::move(std::get<transport::HttpRequest>(ready.request)));
    const core::MailProvider* known = plan->provider(provider);
    SAGABOX_INVARIANT(known != nullptr, "the message was prepared for a provider of this plan");
    co_return mail::read_http_answer(std::get<core::HttpMailProvider>(known->how), ready.recipients,
                                     to_answer(std::move(answer)));
}

Task<void> Mailer::tried(std::shared_ptr<const core::MailPlan> plan, core::StepResult row,
                         std::string provider)
{
    const core::Health health = core::provider_health(row);
    const Breakers::Change change = breakers_.tried(provider, health, plan->breaker_failures,
                                                    clock_.now() + plan->breaker_open_for);
    if (change == Breakers::Change::none || draining_) {
        co_return;
    }
    co_await wait_for_turn();
    const Turn turn(*this);
    pg::Connection* const connection = co_await session_.get();
    const Deadline deadline = Deadline::after(statement_deadline);
    Result<void> written;
    if (change == Breakers::Change::opens) {
        log::warning("mail", "{} is left out for {} ms after {} failures in a row: {}", provider,
                     plan->breaker_open_for.count(), breakers_.failures(provider), row.error);
        written = co_await store::open_breaker(*connection, provider, breakers_.failures(provider),
                                               row.error, plan->breaker_open_for, deadline);
    } else {
        log::info("mail", "{} works again", provider);
        written = co_await store::close_breaker(*connection, provider, deadline);
    }
    if (!written) {
        log::warning("mail", "{}'s state could not be written down: {}", provider,
                     written.error().text());
    }
}

} // namespace sagabox::engine
