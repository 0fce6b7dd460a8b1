#include "api/emails.hpp"

#include "api/answer.hpp"
#include "api/forms.hpp"
#include "api/parameters.hpp"
#include "core/mail.hpp"
#include "store/mail.hpp"
#include "store/mail_views.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sagabox::api {

namespace {

http::Response no_such_message(std::int64_t id)
{
    return problem(404, fmt::format("There is no message {}.", id));
}

http::Response no_mail()
{
    return problem(409, "No e-mail is configured: set email.providers.");
}

std::optional<std::string> mail_status(std::string_view label)
{
    const auto& known = store::mail_statuses;
    if (std::find(known.begin(), known.end(), label) == known.end()) {
        return std::nullopt;
    }
    return std::string(label);
}

class Emails {
public:
    Emails(Database& database, const PlanInForce& plans) : database_(database), plans_(plans) {}

    [[nodiscard]] http::Response accept(const Call& call) const;
    [[nodiscard]] http::Response list(const Call& call) const;
    [[nodiscard]] http::Response stats(const Call& call) const;
    [[nodiscard]] http::Response show(const Call& call) const;
    [[nodiscard]] http::Response resend(const Call& call) const;
    [[nodiscard]] http::Response resend_many(const Call& call) const;

private:
    [[nodiscard]] bool sends_mail() const { return plans_.current()->mail != nullptr; }

    Database& database_;
    const PlanInForce& plans_;
};

http::Response Emails::accept(const Call& call) const
{
    if (!sends_mail()) {
        return no_mail();
    }
    // Read once here, so that what is no JSON is told from what is no message.
    const Result<json::Value> message = json::parse(call.request.body);
    if (!message) {
        return problem(400, "The body is no JSON document.");
    }
    const auto intake = database_.ask<store::MailIntake>(
        [text = json::write(*message)](pg::Connection& connection, Deadline deadline) {
            return store::accept_mail(connection, text, deadline);
        });
    if (!intake) {
        return fault_answer(intake.error());
    }
    if (!intake->faults.empty()) {
        std::vector<FieldFault> faults;
        for (const store::MailFault& fault : intake->faults) {
            faults.push_back({fault.field, fault.text});
        }
        return faults_problem(faults);
    }
    json::Object form;
    form.set("id", json::Value::integer(intake->id));
    form.set("correlationId", intake->correlation_id);
    form.set("status", intake->status);
    form.set("repeated", intake->repeated);
    return json_answer(202, form);
}

http::Response Emails::list(const Call& call) const
{
    Parameters query(call.request);
    store::MailFilter filter;
    filter.status =
        query
            .label("status", &mail_status, fmt::format("{}", fmt::join(store::mail_statuses, ", ")))
            .value_or("");
    filter.recipient = query.text("recipient");
    filter.correlation_id = query.text("correlationId");
    filter.document_type = query.text("documentType");
    filter.before = query.before();
    filter.limit = query.limit();
    if (auto wrong = query.problem()) {
        return *std::move(wrong);
    }
    const auto found = database_.ask<std::vector<store::MailView>>(
        [filter](pg::Connection& connection, Deadline deadline) {
            return store::list_mail(connection, filter, deadline);
        });
    if (!found) {
        return fault_answer(found.error());
    }
    const auto plan = plans_.current();
    const Forms forms(*plan);
    json::Array items;
    for (const store::MailView& mail : *found) {
        items.push_back(forms.mail(mail));
    }
    std::optional<std::int64_t> next;
    if (found->size() == static_cast<std::size_t>(filter.limit)) {
        next = found->back().id;
    }
    return json_answer(200, list_form(std::move(items), next));
}

http::Response Emails::stats(const Call&) const
{
    const auto counts = database_.ask<std::vector<store::MailCount>>(
        [](pg::Connection& connection, Deadline deadline) {
            return store::count_mail(connection, deadline);
        });
    if (!counts) {
        return fault_answer(counts.error());
    }
    const auto states = database_.ask<std::vector<store::MailProviderState>>(
        [](pg::Connection& connection, Deadline deadline) {
            return store::list_mail_providers(connection, deadline);
        });
    if (!states) {
        return fault_answer(states.error());
    }
    const auto plan = plans_.current();
    const Forms forms(*plan);
    json::Object by_status;
    for (const store::MailCount& count : *counts) {
        by_status.set(count.status, json::Value::integer(count.messages));
    }
    json::Array providers;
    if (plan->mail) {
        for (const core::MailProvider& provider : plan->mail->providers) {
            // One that never failed is not in the database.
            store::MailProviderState state;
            state.name = provider.name;
            state.state = "closed";
            const auto known = std::find_if(states->begin(), states->end(), [&](const auto& one) {
                return one.name == provider.name;
            });
            const bool failed = known != states->end();
            json::Value form = forms.provider(failed ? *known : state);
            if (!failed) {
                form.as_object()->set("changedAt", json::Value{});
            }
            form.as_object()->set("url", provider.shown_url);
            providers.push_back(std::move(form));
        }
    }
    json::Object form;
    form.set("configured", plan->mail != nullptr);
    form.set("messages", std::move(by_status));
    form.set("providers", std::move(providers));
    return json_answer(200, form);
}

http::Response Emails::show(const Call& call) const
{
    const auto found = database_.ask<std::optional<store::MailStory>>(
        [id = call.id](pg::Connection& connection, Deadline deadline) {
            return store::get_mail(connection, id, deadline);
        });
    if (!found) {
        return fault_answer(found.error());
    }
    if (!*found) {
        return no_such_message(call.id);
    }
    const auto plan = plans_.current();
    return json_answer(200, Forms(*plan).mail(**found));
}

http::Response Emails::resend(const Call& call) const
{
    const Body body(call.request);
    if (auto wrong = body.problem()) {
        return *std::move(wrong);
    }
    if (!sends_mail()) {
        return no_mail();
    }
    const auto resent =
        database_.ask<store::Resent>([id = call.id](pg::Connection& connection, Deadline deadline) {
            return store::resend_mail(connection, id, deadline);
        });
    if (!resent) {
        return fault_answer(resent.error());
    }
    switch (*resent) {
    case store::Resent::again:
        break;
    case store::Resent::not_failed:
        return problem(409, "The message has been sent or is under way.");
    case store::Resent::in_a_saga:
        return problem(409, "The message is a step of an event whose other steps were undone: "
                            "retry that event.");
    case store::Resent::event_gone:
        return problem(409, "The message's event was deleted, and with it who has got the message "
                            "already: hand it in anew.");
    case store::Resent::unknown:
        return no_such_message(call.id);
    }
    json::Object form;
    form.set("id", json::Value::integer(call.id));
    return json_answer(202, form);
}

http::Response Emails::resend_many(const Call& call) const
{
    constexpr int most = 10'000;
    Body body(call.request);
    store::ResendFilter filter;
    filter.status = body.text("status", Body::Presence::optional, 100);
    filter.document_type = body.text("documentType", Body::Presence::optional, 1'000);
    filter.limit = body.whole("limit", 1, most, 1'000);
    if (auto wrong = body.problem()) {
        return *std::move(wrong);
    }
    if (!filter.status.empty() && !filter.status.starts_with("FAILED_")) {
        return faults_problem(
            {{"status", "status must be FAILED_NOT_RETRYABLE or FAILED_RETRIES_EXHAUSTED."}});
    }
    if (!sends_mail()) {
        return no_mail();
    }
    const auto count = database_.ask<int>([filter](pg::Connection& connection, Deadline deadline) {
        return store::resend_mail_where(connection, filter, deadline);
    });
    if (!count) {
        return fault_answer(count.error());
    }
    json::Object form;
    form.set("resent", json::Value::integer(*count));
    return json_answer(202, form);
}

} // namespace

void add_email_routes(Router& router, Database& database, const PlanInForce& plans,
                      std::size_t max_body)
{
    const Emails emails(database, plans);
    router.add({"POST",
                "/api/emails",
                {},
                [emails](const Call& c) { return emails.accept(c); },
                Access::Needs::token,
                max_body});
    router.add({"GET",
                "/api/emails",
                {"status", "recipient", "correlationId", "documentType", "before", "limit"},
                [emails](const Call& c) {
                    return emails.list(c);
                }});
    router.add({"GET", "/api/emails/stats", {}, [emails](const Call& c) {
                    return emails.stats(c);
                }});
    router.add({"POST", "/api/emails/resend", {}, [emails](const Call& c) {
                    return emails.resend_many(c);
                }});
    router.add({"GET", "/api/emails/{id}", {}, [emails](const Call& c) {
                    return emails.show(c);
                }});
    router.add({"POST", "/api/emails/{id}/resend", {}, [emails](const Call& c) {
                    return emails.resend(c);
                }});
}

} // namespace sagabox::api
