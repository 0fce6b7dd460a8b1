#include "app/records.hpp"
#include "app/table.hpp"
#include "store/mail_views.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sagabox::app {

namespace {

using Messages = std::vector<store::MailView>;

int print_messages(const RecordOptions& options, const Messages& messages, const api::Forms& forms)
{
    std::optional<std::int64_t> next;
    if (messages.size() == static_cast<std::size_t>(options.limit)) {
        next = messages.back().id;
    }
    if (options.json) {
        json::Array items;
        for (const store::MailView& mail : messages) {
            items.push_back(forms.mail(mail));
        }
        return print_json(api::list_form(std::move(items), next));
    }
    Table table({"ID", "STATUS", "TYPE", "RECEIVED", "ATTEMPTS", "TO", "SUBJECT", "LAST ERROR"});
    for (const store::MailView& mail : messages) {
        table.add({std::to_string(mail.id), mail.status, mail.document_type,
                   time_text(mail.received_at), std::to_string(mail.attempts),
                   fmt::format("{}", fmt::join(mail.to, ", ")), mail.subject,
                   forms.shown(mail.last_error)});
    }
    table.print(std::cout);
    print_next(next);
    return done;
}

const char* refusal(store::Resent resent)
{
    switch (resent) {
    case store::Resent::not_failed:
        return "has been sent or is under way";
    case store::Resent::in_a_saga:
        return "is a step of an event whose other steps were undone: run that event again";
    case store::Resent::event_gone:
        return "has lost its event, and with it who has got it already: hand it in anew";
    case store::Resent::unknown:
        return "does not exist";
    case store::Resent::again:
        break;
    }
    return "";
}

int print_resent(const RecordOptions& options, store::Resent resent)
{
    if (resent != store::Resent::again) {
        std::cerr << "message " << options.id << ' ' << refusal(resent) << '\n';
        return failed;
    }
    if (options.json) {
        json::Object form;
        form.set("id", json::Value::integer(options.id));
        return print_json(form);
    }
    std::cout << "message " << options.id << ": a running relay sends it again\n";
    return done;
}

int resend_all(const RecordOptions& options)
{
    store::ResendFilter filter;
    filter.status = options.status;
    filter.document_type = options.document_type;
    filter.limit = options.limit;
    return ask_and_show<int>(
        options,
        [filter](pg::Connection& connection, Deadline deadline) {
            return store::resend_mail_where(connection, filter, deadline);
        },
        [&options](int count, const api::Forms&) -> int {
            if (options.json) {
                json::Object form;
                form.set("resent", json::Value::integer(count));
                return print_json(form);
            }
            std::cout << count << " messages: a running relay sends them again\n";
            return done;
        });
}

} // namespace

int list_emails(const RecordOptions& options)
{
    store::MailFilter filter;
    filter.status = options.status;
    filter.recipient = options.recipient;
    filter.correlation_id = options.correlation_id;
    filter.document_type = options.document_type;
    filter.limit = options.limit;
    if (options.before > 0) {
        filter.before = options.before;
    }
    return ask_and_show<Messages>(
        options,
        [filter](pg::Connection& connection, Deadline deadline) {
            return store::list_mail(connection, filter, deadline);
        },
        [&options](const Messages& messages, const api::Forms& forms) {
            return print_messages(options, messages, forms);
        });
}

int show_email(const RecordOptions& options)
{
    return ask_and_show<std::optional<store::MailStory>>(
        options,
        [id = options.id](pg::Connection& connection, Deadline deadline) {
            return store::get_mail(connection, id, deadline);
        },
        [&options](const auto& found, const api::Forms& forms) -> int {
            if (!found) {
                std::cerr << "there is no message " << options.id << '\n';
                return failed;
            }
            if (options.json) {
                return print_json(forms.mail(*found));
            }
            print_members(forms.mail(*found));
            return done;
        });
}

int resend_emails(const RecordOptions& options)
{
    if (options.id == 0) {
        return resend_all(options);
    }
    return ask_and_show<store::Resent>(
        options,
        [id = options.id](pg::Connection& connection, Deadline deadline) {
            return store::resend_mail(connection, id, deadline);
        },
        [&options](store::Resent resent, const api::Forms&) {
            return print_resent(options, resent);
        });
}

} // namespace sagabox::app
