#include "simulate/answers.hpp"

#include <array>
#include <utility>
#include <variant>

namespace sagabox::simulate {

namespace {

using core::Answer;
using core::MailAnswer;
using core::Outcome;

/// The usual ones first: a story is read the quicker.
constexpr std::array statuses{200, 400, 503, 422, 409, 404, 403, 401, 402, 500,
                              429, 408, 425, 201, 204, 405, 410, 413, 415, 451,
                              499, 300, 301, 302, 307, 501, 505, 599, 202, 299};

Answer whole(int status)
{
    Answer answer;
    answer.delivery = Answer::Delivery::answered;
    answer.status = status;
    return answer;
}

Answer lost()
{
    Answer answer;
    answer.delivery = Answer::Delivery::unanswered;
    answer.error = "no answer in time";
    return answer;
}

Answer not_sent()
{
    Answer answer;
    answer.delivery = Answer::Delivery::not_sent;
    answer.error = "connection refused";
    return answer;
}

MailAnswer over_http(Outcome outcome)
{
    MailAnswer answer;
    answer.stage = MailAnswer::Stage::http;
    switch (outcome) {
    case Outcome::succeeded:
        answer.http = whole(200);
        break;
    case Outcome::rejected:
        answer.http = whole(422);
        break;
    case Outcome::unknown:
        answer.http = lost();
        break;
    default:
        answer.http = not_sent();
        break;
    }
    return answer;
}

MailAnswer over_smtp(Outcome outcome)
{
    MailAnswer answer;
    answer.recipients.push_back({"someone@example.com", {250, "ok"}});
    answer.stage = MailAnswer::Stage::final_dot;
    switch (outcome) {
    case Outcome::succeeded:
        answer.reply = {250, "accepted"};
        break;
    case Outcome::rejected:
        answer.reply = {554, "refused"};
        break;
    case Outcome::unknown:
        answer.error = "no answer in time";
        break;
    default:
        answer.recipients.clear();
        answer.stage = MailAnswer::Stage::connect;
        answer.error = "connection refused";
        break;
    }
    return answer;
}

} // namespace

std::optional<Answer> answer_read_as(Outcome outcome, const core::Call& call)
{
    if (outcome == Outcome::unknown) {
        return lost();
    }
    for (const int status : statuses) {
        Answer answer = whole(status);
        if (core::classify(answer, call.row.direction, call.classify) == outcome) {
            return answer;
        }
    }
    return outcome == Outcome::failed ? std::optional(not_sent()) : std::nullopt;
}

core::StepResult mail_row(const core::Plan& plan, const core::SendMail& send, Outcome outcome,
                          DbTime now)
{
    const core::MailProvider* provider = plan.mail->provider(send.mailing.provider);
    const bool http = std::holds_alternative<core::HttpMailProvider>(provider->how);
    return core::record_mail(send.mailing, *provider, send.row,
                             http ? over_http(outcome) : over_smtp(outcome), now,
                             plan.max_retry_after);
}

} // namespace sagabox::simulate
