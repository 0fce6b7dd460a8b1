#include "core/mail_step.hpp"

#include "core/mail_memory.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

namespace sagabox::core {

namespace {

/// `payloads.<destination>.message`: the number of the stored message.
std::optional<std::int64_t> message_number(const json::Value& body)
{
    const json::Value* found = body.find("message");
    const json::Number* number = found == nullptr ? nullptr : found->as_number();
    if (number == nullptr) {
        return std::nullopt;
    }
    std::int64_t value = 0;
    const std::string& digits = number->digits;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) {
        return std::nullopt;
    }
    return value;
}

bool contains(const std::vector<std::string>& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The moment until which a provider is left out; nothing where it may be asked.
std::optional<DbTime> left_out_until(const Forward& errand, const std::string& provider, DbTime now)
{
    for (const auto& [name, until] : errand.left_out) {
        if (name == provider && until > now) {
            return until;
        }
    }
    return std::nullopt;
}

/// The providers that may be asked, in the order in which they are.
std::vector<const MailProvider*> candidates(const MailPlan& mail, const MailMemory& memory)
{
    if (const MailProvider* pinned = mail.provider(memory.pinned)) {
        return {pinned};
    }
    std::vector<const MailProvider*> found;
    for (const MailProvider& provider : mail.providers) {
        found.push_back(&provider);
    }
    std::stable_partition(found.begin(), found.end(), [&memory](const MailProvider* provider) {
        return provider->name == memory.preferred;
    });
    return found;
}

struct Choice {
    const MailProvider* provider = nullptr; ///< null: none of those that are left
    std::optional<DbTime> back;             ///< when the first that is left out is back
};

Choice choose(const MailPlan& mail, const MailMemory& memory, const std::vector<std::string>& tried,
              const Forward& errand, DbTime now)
{
    Choice choice;
    for (const MailProvider* provider : candidates(mail, memory)) {
        if (contains(tried, provider->name)) {
            continue;
        }
        const std::optional<DbTime> until = left_out_until(errand, provider->name, now);
        if (!until) {
            choice.provider = provider;
            return choice;
        }
        if (!choice.back || *until < *choice.back) {
            choice.back = until;
        }
    }
    return choice;
}

SendMail send_by(const MailProvider& provider, const Event& event, const OpenStep& step,
                 std::int64_t message, MailMemory memory, int attempt)
{
    SendMail send;
    send.mailing.message = message;
    send.mailing.provider = provider.name;
    send.mailing.accepted = std::move(memory.accepted);
    send.mailing.refused = std::move(memory.refused);
    send.mailing.attempt = attempt;
    send.row.event_id = event.id;
    send.row.cause = event.id;
    send.row.destination = step.destination->name;
    send.row.fanout_order = step.fanout_order;
    send.row.run = event.run;
    send.row.attempt = attempt;
    send.row.interrupted = event.deaths;
    send.row.endpoint_url = provider.shown_url;
    const auto* http = std::get_if<HttpMailProvider>(&provider.how);
    send.row.http_method = http != nullptr ? http->method : "SMTP";
    return send;
}

std::string attempt_text(const StepResult& row, int attempts)
{
    return row.destination + ": " + row.error + " (attempt " + std::to_string(attempts) + ")";
}

/// Whether the last try left its round open: another provider may do better at once.
bool round_goes_on(const MailMemory& memory)
{
    return memory.last->outcome == Outcome::failed &&
           (memory.fault == MailFault::provider || memory.fault == MailFault::size);
}

GiveUp refuse(std::string why, int retries)
{
    return {LetterReason::NON_RETRYABLE_ERROR, std::move(why), retries};
}

} // namespace

const MailProvider* MailPlan::provider(std::string_view name) const
{
    for (const MailProvider& known : providers) {
        if (known.name == name) {
            return &known;
        }
    }
    return nullptr;
}

Action decide_mail(const Plan& plan, const History& history, const OpenStep& step,
                   const Forward& errand, DbTime now)
{
    const Event& event = history.event;
    const std::string& destination = step.destination->name;
    if (!plan.mail) {
        return refuse(destination + ": no e-mail is configured: add email.providers", 0);
    }
    const std::optional<std::int64_t> message =
        message_number(envelope_for(event, destination).body);
    if (!message) {
        return refuse(destination + ": payloads." + destination +
                          ".message must be the number of a stored message",
                      0);
    }
    const MailPlan& mail = *plan.mail;
    MailMemory memory = remember_mail(history, destination);
    if (memory.last != nullptr) {
        const std::string why = attempt_text(*memory.last, memory.attempts);
        if (memory.last->outcome == Outcome::rejected) {
            return refuse(why, memory.attempts - 1);
        }
        if (round_goes_on(memory)) {
            const Choice next = choose(mail, memory, memory.tried, errand, now);
            if (next.provider != nullptr) {
                const int attempt = memory.attempts;
                return send_by(*next.provider, event, step, *message, std::move(memory), attempt);
            }
            if (memory.only_size && !next.back) {
                return refuse(why, memory.attempts - 1);
            }
        }
        if (memory.attempts > mail.max_retries) {
            return GiveUp{LetterReason::MAX_RETRIES_EXCEEDED, why, memory.attempts - 1};
        }
        const std::chrono::milliseconds pause =
            memory.last->retry_after
                ? *memory.last->retry_after
                : delay_after(memory.attempts, mail.backoff,
                              jitter_seed(event, *memory.last, memory.attempts));
        const DbTime due = memory.last->published_at + pause;
        if (due > now) {
            return Wait{due, memory.attempts, why};
        }
    }
    const Choice next = choose(mail, memory, {}, errand, now);
    if (next.provider == nullptr) {
        // Nobody was asked, so it is no attempt.
        return Wait{*next.back, memory.attempts,
                    destination + ": every provider that may send it is left out for now"};
    }
    const int attempt = memory.attempts + 1;
    return send_by(*next.provider, event, step, *message, std::move(memory), attempt);
}

} // namespace sagabox::core
