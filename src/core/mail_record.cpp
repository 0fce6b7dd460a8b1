#include "core/http_status.hpp"
#include "core/mail.hpp"
#include "core/mail_memory.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sagabox::core {

namespace {

using Stage = MailAnswer::Stage;

constexpr std::size_t most_named = 5; ///< addresses in an error text

bool good(int code)
{
    return code >= 200 && code < 300;
}
bool for_good(int code)
{
    return code >= 500 && code < 600;
}

std::string_view to_label(Stage stage)
{
    switch (stage) {
    case Stage::nothing:
        return "nothing";
    case Stage::connect:
        return "connect";
    case Stage::hello:
        return "hello";
    case Stage::auth:
        return "auth";
    case Stage::sender:
        return "sender";
    case Stage::rcpt:
        return "rcpt";
    case Stage::data:
        return "data";
    case Stage::final_dot:
        return "final_dot";
    case Stage::http:
        break;
    }
    return "http";
}

std::string_view words_for(Stage stage)
{
    switch (stage) {
    case Stage::connect:
        return "no connection";
    case Stage::hello:
        return "the greeting failed";
    case Stage::auth:
        return "logging in failed";
    case Stage::sender:
        return "the sender was refused";
    case Stage::rcpt:
        return "it broke off at the recipients";
    case Stage::data:
        return "it broke off within the message";
    default:
        return "it did not take the message";
    }
}

std::string reply_text(const SmtpReply& reply)
{
    if (reply.code == 0) {
        return {};
    }
    std::string text = std::to_string(reply.code);
    if (!reply.text.empty()) {
        text += " " + json::to_storable_text(reply.text);
    }
    return text;
}

/// What a try means, apart from its recipients.
struct Verdict {
    MailFault fault = MailFault::none;
    bool unknown = false;
};

/// A refusal of the whole message: 4yz may be better elsewhere, 552 and its like fit elsewhere, and
/// any other 5yz is about what is in it.
MailFault whole_message(int code)
{
    if (code == 552) {
        return MailFault::size;
    }
    return for_good(code) ? MailFault::message : MailFault::provider;
}

Verdict verdict_on_smtp(const MailAnswer& answer)
{
    const int code = answer.reply.code;
    switch (answer.stage) {
    case Stage::nothing:
        return {MailFault::message};
    case Stage::sender:
        return {code == 552 ? MailFault::size : MailFault::provider};
    case Stage::rcpt: {
        const bool broke_off =
            std::any_of(answer.recipients.begin(), answer.recipients.end(), [](const auto& one) {
                return one.reply.code == 0 || one.reply.code == 421;
            });
        return {broke_off ? MailFault::provider : MailFault::recipients};
    }
    case Stage::data:
        return {code == 421 || code == 0 ? MailFault::provider : whole_message(code)};
    case Stage::final_dot:
        if (code == 0) {
            return {MailFault::none, true};
        }
        return {good(code) ? MailFault::none : whole_message(code)};
    default:
        return {MailFault::provider};
    }
}

Verdict verdict_on_http(const Answer& answer, const Classification& rules)
{
    switch (classify(answer, Direction::forward, rules)) {
    case Outcome::succeeded:
        return {};
    case Outcome::unknown:
        return {MailFault::none, true};
    case Outcome::failed:
        return {MailFault::provider};
    default:
        break;
    }
    switch (answer.status) {
    case 413:
        return {MailFault::size};
    case 401: // the account's, the address's: another provider has others
    case 402:
    case 403:
    case 404:
    case 405:
    case 407:
        return {MailFault::provider};
    default:
        return {answer.status < 400 ? MailFault::provider : MailFault::message};
    }
}

enum class State : std::uint8_t { accepted, refused, deferred, unknown };

std::string_view to_label(State state)
{
    switch (state) {
    case State::accepted:
        return "accepted";
    case State::refused:
        return "refused";
    case State::deferred:
        return "deferred";
    case State::unknown:
        break;
    }
    return "unknown";
}

State state_of(const MailAnswer& answer, const SmtpReply& rcpt, const Verdict& verdict)
{
    // RFC 5321 4.5.3.1.10: a full mailbox, or too many recipients at once, is not for ever.
    const bool refused = for_good(rcpt.code) && rcpt.code != 552;
    if (refused && (answer.stage >= Stage::rcpt)) {
        return State::refused;
    }
    if (verdict.fault == MailFault::message) {
        return State::refused;
    }
    if (verdict.unknown) {
        const bool handed_over = answer.stage == Stage::http || good(rcpt.code) || rcpt.code == 0;
        return handed_over ? State::unknown : State::deferred;
    }
    if (verdict.fault == MailFault::none && good(rcpt.code)) {
        return State::accepted;
    }
    return State::deferred;
}

struct Tally {
    std::size_t accepted = 0;
    std::size_t refused = 0;
    std::size_t deferred = 0;
    std::size_t unknown = 0;
    std::string refusals; ///< of this try, in words
    std::string delays;
};

void name(std::string& list, std::size_t& count, const std::string& address,
          const std::string& reply)
{
    if (++count <= most_named) {
        list += (list.empty() ? "" : ", ") + address + (reply.empty() ? "" : ": " + reply);
    }
}

json::Array judge_recipients(const MailAnswer& answer, const Verdict& verdict, Tally& tally)
{
    json::Array listed;
    for (const MailAnswer::Recipient& one : answer.recipients) {
        const std::string address = json::to_storable_text(one.address);
        const std::string reply = reply_text(one.reply);
        const State state = state_of(answer, one.reply, verdict);
        switch (state) {
        case State::accepted:
            ++tally.accepted;
            break;
        case State::refused:
            name(tally.refusals, tally.refused, address, reply);
            break;
        case State::deferred:
            name(tally.delays, tally.deferred, address, reply);
            break;
        case State::unknown:
            ++tally.unknown;
            break;
        }
        json::Object entry;
        entry.set("address", address);
        entry.set("state", to_label(state));
        if (!reply.empty()) {
            entry.set("reply", reply);
        }
        listed.emplace_back(std::move(entry));
    }
    return listed;
}

/// What the provider itself said, as far as it said anything.
std::string said(const MailAnswer& answer)
{
    if (answer.http) {
        return answer.http->delivery == Answer::Delivery::answered
                   ? status_text(answer.http->status)
                   : json::to_storable_text(answer.http->error);
    }
    const std::string reply = reply_text(answer.reply);
    return reply.empty() ? json::to_storable_text(answer.error) : reply;
}

std::string with(std::string text, const std::string& detail)
{
    return detail.empty() ? text : text + ": " + detail;
}

std::string some_of(std::size_t some, std::size_t all)
{
    return std::to_string(some) + " of " + std::to_string(all) +
           (all == 1 ? " recipient" : " recipients");
}

struct Judged {
    Outcome outcome;
    std::string error;
};

Judged judge(const Mailing& mailing, const MailAnswer& answer, const Verdict& verdict,
             const Tally& tally)
{
    const std::size_t all =
        mailing.accepted.size() + mailing.refused.size() + answer.recipients.size();
    const std::string& who = mailing.provider;
    if (answer.stage == Stage::nothing) {
        return {Outcome::rejected,
                with("the message can't be sent as it is", json::to_storable_text(answer.error))};
    }
    if (verdict.fault == MailFault::message) {
        return {Outcome::rejected, with(who + " refused the message", said(answer))};
    }
    if (verdict.fault == MailFault::size) {
        return {Outcome::failed, with("the message is too large for " + who, said(answer))};
    }
    if (verdict.fault == MailFault::provider) {
        const std::string what =
            answer.http ? said(answer) : with(std::string(words_for(answer.stage)), said(answer));
        return {Outcome::failed, who + ": " + what};
    }
    if (tally.unknown > 0) {
        return {Outcome::unknown,
                with(who + " got the message and gave no answer, so it may have been sent",
                     json::to_storable_text(answer.error))};
    }
    if (tally.deferred > 0) {
        return {Outcome::failed,
                with(who + " put off " + some_of(tally.deferred, all), tally.delays)};
    }
    const std::size_t refused = tally.refused + mailing.refused.size();
    if (refused > 0) {
        std::string names = tally.refusals;
        std::size_t count = tally.refused;
        for (const std::string& earlier : mailing.refused) {
            name(names, count, json::to_storable_text(earlier), {});
        }
        return {
            Outcome::rejected,
            with(some_of(refused, all) + (refused == 1 ? " was" : " were") + " refused", names)};
    }
    return {Outcome::succeeded, {}};
}

json::Value request_of(const Mailing& mailing, const MailAnswer& answer)
{
    json::Array recipients;
    for (const MailAnswer::Recipient& one : answer.recipients) {
        recipients.emplace_back(json::to_storable_text(one.address));
    }
    json::Object request;
    request.set("message", json::Value::integer(mailing.message));
    request.set("provider", mailing.provider);
    request.set("recipients", std::move(recipients));
    return request;
}

} // namespace

StepResult record_mail(const Mailing& mailing, const MailProvider& provider, StepResult row,
                       const MailAnswer& answer, DbTime now,
                       std::chrono::milliseconds max_retry_after)
{
    const auto* http = std::get_if<HttpMailProvider>(&provider.how);
    const Verdict verdict = answer.http && http != nullptr
                                ? verdict_on_http(*answer.http, http->classify)
                                : verdict_on_smtp(answer);
    Tally tally;
    json::Array recipients = judge_recipients(answer, verdict, tally);
    const bool some_failed = tally.refused + tally.deferred > 0;
    const MailFault fault =
        verdict.fault == MailFault::none && some_failed ? MailFault::recipients : verdict.fault;
    Judged judged = judge(mailing, answer, verdict, tally);
    row.outcome = judged.outcome;
    row.error = std::move(judged.error);

    json::Object response;
    response.set("stage", to_label(answer.stage));
    response.set("fault", to_label(fault));
    response.set("recipients", std::move(recipients));
    if (const std::string reply = reply_text(answer.reply); !reply.empty()) {
        response.set("reply", reply);
    }
    row.response_status = std::nullopt;
    if (answer.http) {
        // Read as any call's answer is: its body, and how long to wait.
        Call call;
        call.row = row;
        const StepResult read = record(call, *answer.http, now, max_retry_after);
        row.response_status = read.response_status;
        if (row.outcome == Outcome::failed || row.outcome == Outcome::unknown) {
            row.retry_after = read.retry_after;
        }
        if (read.response) {
            response.set("answer", *read.response);
        }
    } else if (answer.reply.code > 0) {
        row.response_status = answer.reply.code;
    }
    row.request = request_of(mailing, answer);
    row.response = std::move(response);
    row.duration = answer.duration;
    row.published_at = now;
    return row;
}

Health provider_health(const StepResult& row)
{
    const json::Value* stage = row.response ? row.response->find("stage") : nullptr;
    const std::string* reached = stage == nullptr ? nullptr : stage->as_string();
    if (reached == nullptr || *reached == "nothing") {
        return Health::silent;
    }
    const std::string* fault =
        row.response->find("fault") == nullptr ? nullptr : row.response->find("fault")->as_string();
    const bool failed = fault != nullptr && *fault == to_label(MailFault::provider);
    return failed || row.outcome == Outcome::unknown ? Health::bad : Health::good;
}

} // namespace sagabox::core
