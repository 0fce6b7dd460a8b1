#include "app/records.hpp"
#include "app/table.hpp"
#include "store/event_actions.hpp"
#include "store/letter_views.hpp"

namespace sagabox::app {

namespace {

int no_such_letter(std::int64_t id)
{
    std::cerr << "there is no dead letter " << id << '\n';
    return failed;
}

int print_letters(const store::Page<store::LetterView>& page, const api::Forms& forms, bool json)
{
    if (json) {
        json::Array items;
        for (const store::LetterView& letter : page.items) {
            items.push_back(forms.letter(letter));
        }
        return print_json(api::list_form(std::move(items), page.next));
    }
    Table table({"ID", "EVENT", "STATUS", "REASON", "TYPE", "AGGREGATE", "FAILED", "ERROR"});
    for (const store::LetterView& letter : page.items) {
        table.add(
            {std::to_string(letter.id.value), std::to_string(letter.event.value),
             std::string(core::to_label(letter.status)), std::string(core::to_label(letter.reason)),
             letter.type, letter.aggregate_id, time_text(letter.failed_at),
             forms.shown(letter.revert_error.empty() ? letter.last_error : letter.revert_error)});
    }
    table.print(std::cout);
    print_next(page.next);
    return done;
}

using Changed = std::optional<store::ChangedLetter>;

int print_change(const RecordOptions& options, const Changed& changed, const char* what)
{
    if (!changed) {
        std::cerr << "there is no dead letter " << options.id
                  << " that waits for a person (status FAILED): look with `sagabox dead-letters "
                     "list`\n";
        return failed;
    }
    if (options.json) {
        json::Object form;
        form.set("id", json::Value::integer(changed->id.value));
        form.set("originalEventId", json::Value::integer(changed->event.value));
        form.set("status", changed->status);
        return print_json(form);
    }
    std::cout << "dead letter " << changed->id.value << " of event " << changed->event.value << ": "
              << changed->status << "; " << what << '\n';
    return done;
}

} // namespace

int list_letters(const RecordOptions& options)
{
    store::LetterFilter filter;
    filter.status = core::letter_status(options.status);
    filter.reason = core::letter_reason(options.reason);
    filter.limit = options.limit;
    if (options.before > 0) {
        filter.before = options.before;
    }
    return ask_and_show<store::Page<store::LetterView>>(
        options,
        [filter](pg::Connection& connection, Deadline deadline) {
            return store::list_letters(connection, filter, deadline);
        },
        [&options](const auto& page, const api::Forms& forms) {
            return print_letters(page, forms, options.json);
        });
}

int show_letter(const RecordOptions& options)
{
    return ask_and_show<std::optional<store::LetterDetail>>(
        options,
        [id = LetterId{options.id}](pg::Connection& connection, Deadline deadline) {
            return store::get_letter(connection, id, deadline);
        },
        [&options](const auto& found, const api::Forms& forms) -> int {
            if (!found) {
                return no_such_letter(options.id);
            }
            if (options.json) {
                return print_json(forms.letter(*found));
            }
            print_members(forms.letter(*found));
            return done;
        });
}

int retry_letter(const RecordOptions& options)
{
    return ask_and_show<Changed>(
        options,
        [id = LetterId{options.id}](pg::Connection& connection, Deadline deadline) {
            return store::retry_letter(connection, id, deadline);
        },
        [&options](const Changed& changed, const api::Forms&) {
            return print_change(options, changed, "a running relay goes on undoing");
        });
}

int resolve_letter(const RecordOptions& options)
{
    const store::Closing closing{options.note, options.by};
    return ask_and_show<Changed>(
        options,
        [id = LetterId{options.id}, closing](pg::Connection& connection, Deadline deadline) {
            return store::resolve_letter(connection, id, closing, deadline);
        },
        [&options](const Changed& changed, const api::Forms&) {
            return print_change(options, changed, "closed");
        });
}

} // namespace sagabox::app
