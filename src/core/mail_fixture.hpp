#pragma once

// Builders for the tests of mail steps: providers one, two and three, and what they answered.

#include "core/decide_fixture.hpp"
#include "core/mail.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sagabox::core {

inline MailProvider smtp_provider(const std::string& name)
{
    return {name, "smtp://" + name + ".example:587", std::chrono::seconds{60}, SmtpProvider{}};
}

inline MailProvider http_provider(const std::string& name)
{
    return {name, "https://" + name + ".example/send", std::chrono::seconds{60},
            HttpMailProvider{}};
}

inline SmtpReply reply(int code, std::string text = "words")
{
    return {code, std::move(text)};
}

/// A dialogue that came to the final dot: what each recipient was answered, then the message.
inline MailAnswer dotted(std::vector<std::pair<std::string, int>> recipients, int last)
{
    MailAnswer answer;
    answer.stage = MailAnswer::Stage::final_dot;
    for (auto& [address, code] : recipients) {
        answer.recipients.push_back({std::move(address), reply(code)});
    }
    answer.reply = last == 0 ? SmtpReply{} : reply(last);
    return answer;
}

inline MailAnswer broken_at(MailAnswer::Stage stage, int code,
                            const std::vector<std::string>& recipients = {"a@x"})
{
    MailAnswer answer;
    answer.stage = stage;
    answer.reply = code == 0 ? SmtpReply{} : reply(code);
    for (const std::string& address : recipients) {
        answer.recipients.push_back({address, {}});
    }
    return answer;
}

/// An event whose one step is a letter, and what became of it so far.
struct MailCase {
    std::vector<MailProvider> providers{smtp_provider("one"), smtp_provider("two"),
                                        smtp_provider("three")};
    int max_retries = 2;
    Saga saga{{test_event(R"({"email": {"message": 5}})"), {}, {}}, Forward{}};
    DbTime now = test_now;

    MailCase() { saga.own.event.type = "email"; }

    [[nodiscard]] Plan plan() const
    {
        Plan plan;
        Destination destination;
        destination.name = "email";
        destination.means = Means::mail;
        destination.routes.emplace_back();
        plan.destinations.emplace("email", std::move(destination));
        MailPlan mail;
        mail.providers = providers;
        mail.max_retries = max_retries;
        plan.mail = std::make_shared<const MailPlan>(std::move(mail));
        return plan;
    }

    [[nodiscard]] Action next() const { return decide(plan(), saga, now); }
    MailCase& later(std::chrono::milliseconds by)
    {
        now = now + by;
        return *this;
    }

    /// The provider that is asked next, with the attempt: `one #1`.
    [[nodiscard]] std::string asked() const
    {
        const SendMail send = as<SendMail>(next());
        return send.mailing.provider + " #" + std::to_string(send.mailing.attempt);
    }

    /// Makes the try that is due, answered like this, and writes it down by way of its JSON text.
    MailCase& answered(const MailAnswer& answer)
    {
        const SendMail send = as<SendMail>(next());
        const Plan current = plan();
        StepResult row = record_mail(send.mailing, *current.mail->provider(send.mailing.provider),
                                     send.row, answer, now, std::chrono::hours{1});
        row.request = json_of(json::write(row.request));
        row.response = json_of(json::write(*row.response));
        row.id = ResultId{static_cast<std::int64_t>(saga.own.results.size()) + 1};
        saga.own.results.push_back(std::move(row));
        saga.own.event.deaths = 0;
        return *this;
    }

    MailCase& leave_out(const std::string& provider, std::chrono::milliseconds until)
    {
        std::get<Forward>(saga.errand).left_out.emplace_back(provider, test_now + until);
        return *this;
    }

    /// What a person does who has the letter sent again.
    MailCase& forgiven()
    {
        for (StepResult& row : saga.own.results) {
            row.forgiven = true;
        }
        return *this;
    }
};

} // namespace sagabox::core
