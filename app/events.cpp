#include "app/records.hpp"
#include "app/table.hpp"
#include "store/event_views.hpp"
#include "store/overview.hpp"

#include <algorithm>

namespace sagabox::app {

namespace {

int print_events(const store::Page<store::EventView>& page, const api::Forms& forms, bool json)
{
    if (json) {
        json::Array items;
        for (const store::EventView& event : page.items) {
            items.push_back(forms.event(event));
        }
        return print_json(api::list_form(std::move(items), page.next));
    }
    Table table({"ID", "STATUS", "TYPE", "AGGREGATE", "CREATED", "RETRIES", "NEXT", "LAST ERROR"});
    for (const store::EventView& event : page.items) {
        table.add({std::to_string(event.id.value), std::string(core::to_label(event.status)),
                   event.type, event.aggregate_id, time_text(event.created_at),
                   std::to_string(event.retry_count), time_text(event.next_retry_at),
                   forms.shown(event.last_error)});
    }
    table.print(std::cout);
    print_next(page.next);
    return done;
}

void print_counts(const store::Counts& counts, const char* of)
{
    Table table({"STATUS", of, "COUNT"});
    for (const store::Count& count : counts.counts) {
        table.add({count.status, count.of, std::to_string(count.count)});
    }
    table.print(std::cout);
}

int print_overview(const store::Overview& overview, const api::Forms& forms, bool json)
{
    if (json) {
        return print_json(forms.overview(overview));
    }
    std::cout << "events that wait or are worked on" << (overview.active.exact ? "" : ", at least")
              << ":\n";
    print_counts(overview.active, "TYPE");
    std::cout << "oldest that is due and not taken: ";
    if (overview.oldest_pending) {
        std::cout << overview.oldest_pending->count() / 1'000'000 << " s old\n";
    } else {
        std::cout << "none\n";
    }
    std::cout << "\nevents that have ended"
              << (overview.ended.exact
                      ? std::string()
                      : ", of the latest " + std::to_string(overview.latest) + " events; about " +
                            std::to_string(overview.estimated_rows) + " in all")
              << ":\n";
    print_counts(overview.ended, "TYPE");
    std::cout << "\ndead letters" << (overview.letters.exact ? "" : ", at least") << ":\n";
    print_counts(overview.letters, "REASON");
    if (!overview.left_alone.empty()) {
        std::cout << "\ndestinations that are left alone:\n";
        Table table({"DESTINATION", "STATE", "UNTIL", "WHY"});
        for (const store::ShutDestination& one : overview.left_alone) {
            table.add({one.name, one.state, time_text(one.until), one.why});
        }
        table.print(std::cout);
    }
    return done;
}

} // namespace

int list_events(const RecordOptions& options)
{
    store::EventFilter filter;
    filter.status = core::event_status(options.status);
    filter.type = options.type;
    filter.aggregate_id = options.aggregate;
    filter.limit = options.limit;
    if (options.before > 0) {
        filter.before = options.before;
    }
    return ask_and_show<store::Page<store::EventView>>(
        options,
        [filter](pg::Connection& connection, Deadline deadline) {
            return store::list_events(connection, filter, deadline);
        },
        [&options](const auto& page, const api::Forms& forms) {
            return print_events(page, forms, options.json);
        });
}

int show_status(const RecordOptions& options)
{
    return ask_and_show<store::Overview>(
        options,
        [](pg::Connection& connection, Deadline deadline) {
            return store::read_overview(connection, deadline);
        },
        [&options](const auto& overview, const api::Forms& forms) {
            return print_overview(overview, forms, options.json);
        });
}

void print_members(const json::Value& record)
{
    Table table({"FIELD", "VALUE"});
    for (const auto& [name, value] : *record.as_object()) {
        const std::string* text = value.as_string();
        table.add({name, text != nullptr ? *text : json::write(value)});
    }
    table.print(std::cout);
}

} // namespace sagabox::app
