#include "api/next_action.hpp"
#include "api/reasons.hpp"
#include "app/records.hpp"
#include "app/table.hpp"
#include "store/event_views.hpp"

#include <algorithm>
#include <charconv>

namespace sagabox::app {

namespace {

constexpr int most_events = 20;

std::optional<EventId> id_in(const std::string& text)
{
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && rest == end && value > 0 ? std::optional(EventId{value})
                                                            : std::nullopt;
}

struct Answer {
    std::vector<api::Holdup> holdups;
    std::vector<store::ShutDestination> left_alone;
};

/// The events of an aggregate that have not ended, oldest first; where all have, the newest.
Task<Result<std::vector<EventId>>> events_of(pg::Connection& connection, std::string aggregate,
                                             Deadline deadline)
{
    store::EventFilter filter;
    filter.aggregate_id = std::move(aggregate);
    filter.limit = store::most_items_of_a_page;
    const Result<store::Page<store::EventView>> page =
        co_await store::list_events(connection, std::move(filter), deadline);
    if (!page) {
        co_return fail(page.error());
    }
    std::vector<EventId> open;
    for (const store::EventView& event : page->items) {
        if (api::is_open(event.status)) {
            open.push_back(event.id);
        }
    }
    if (open.empty() && !page->items.empty()) {
        open.push_back(page->items.front().id);
    }
    std::ranges::reverse(open);
    open.resize(std::min<std::size_t>(open.size(), most_events));
    co_return open;
}

Task<Result<std::optional<api::Holdup>>> holdup_of(pg::Connection& connection, EventId event,
                                                   bool ordered, Deadline deadline)
{
    Result<std::optional<store::EventDetail>> detail =
        co_await store::get_event(connection, event, deadline);
    if (!detail) {
        co_return fail(detail.error());
    }
    Result<std::optional<store::Blockers>> blockers =
        co_await store::find_blockers(connection, event, ordered, deadline);
    if (!blockers) {
        co_return fail(blockers.error());
    }
    std::optional<api::Holdup> found;
    if (*detail && *blockers) {
        found.emplace();
        found->event = **std::move(detail);
        found->blockers = **std::move(blockers);
    }
    co_return found;
}

/// A number names an event; where there is none of that id, and for all else, an aggregate.
Task<Result<std::vector<api::Holdup>>> find_holdups(pg::Connection& connection, std::string target,
                                                    bool ordered, Deadline deadline)
{
    std::vector<api::Holdup> holdups;
    if (const std::optional<EventId> id = id_in(target)) {
        Result<std::optional<api::Holdup>> one =
            co_await holdup_of(connection, *id, ordered, deadline);
        if (!one) {
            co_return fail(one.error());
        }
        if (*one) {
            holdups.push_back(**std::move(one));
            co_return holdups;
        }
    }
    const Result<std::vector<EventId>> events =
        co_await events_of(connection, std::move(target), deadline);
    if (!events) {
        co_return fail(events.error());
    }
    for (const EventId event : *events) {
        Result<std::optional<api::Holdup>> one =
            co_await holdup_of(connection, event, ordered, deadline);
        if (!one) {
            co_return fail(one.error());
        }
        if (*one) {
            holdups.push_back(**std::move(one));
        }
    }
    co_return holdups;
}

Task<Result<Answer>> find_answer(pg::Connection& connection, std::string target, bool ordered,
                                 Deadline deadline)
{
    Result<std::vector<api::Holdup>> holdups =
        co_await find_holdups(connection, std::move(target), ordered, deadline);
    if (!holdups) {
        co_return fail(holdups.error());
    }
    Result<std::vector<store::ShutDestination>> left_alone =
        co_await store::list_destinations(connection, deadline);
    if (!left_alone) {
        co_return fail(left_alone.error());
    }
    Answer answer;
    answer.holdups = *std::move(holdups);
    answer.left_alone = *std::move(left_alone);
    co_return answer;
}

json::Value form_of(const api::Holdup& holdup, std::vector<std::string> reasons)
{
    json::Array sentences;
    for (std::string& reason : reasons) {
        sentences.emplace_back(std::move(reason));
    }
    json::Object form;
    form.set("event", json::Value::integer(holdup.event.event.id.value));
    form.set("eventType", holdup.event.event.type);
    form.set("aggregateId", holdup.event.event.aggregate_id);
    form.set("status", core::to_label(holdup.event.event.status));
    form.set("reasons", std::move(sentences));
    return form;
}

int print_answer(const RecordOptions& options, const Answer& answer, const core::Plan& plan)
{
    if (answer.holdups.empty()) {
        std::cerr << "there is no event and no aggregate " << printable(options.target) << '\n';
        return failed;
    }
    const api::Forms forms(plan);
    json::Array items;
    for (const api::Holdup& holdup : answer.holdups) {
        std::vector<std::string> reasons = api::reasons_of(plan, forms, holdup, answer.left_alone);
        if (options.json) {
            items.push_back(form_of(holdup, std::move(reasons)));
            continue;
        }
        const store::EventView& event = holdup.event.event;
        std::cout << "event " << event.id.value << ", " << printable(event.type) << " of "
                  << printable(event.aggregate_id) << ": " << core::to_label(event.status) << '\n';
        for (const std::string& reason : reasons) {
            std::cout << "  " << printable(reason) << '\n';
        }
    }
    return options.json ? print_json(std::move(items)) : done;
}

} // namespace

int explain_why(const RecordOptions& options)
{
    const std::optional<config::Settings> settings = load_or_explain(options.file);
    if (!settings) {
        return misuse;
    }
    const bool ordered = settings->relay.ordering == config::Relay::Ordering::aggregate;
    const Result<Answer> answer = ask_database<Answer>(
        *settings, [&options, ordered](pg::Connection& connection, Deadline deadline) {
            return find_answer(connection, options.target, ordered, deadline);
        });
    if (!answer) {
        std::cerr << answer.error().text() << '\n';
        return failed;
    }
    return print_answer(options, *answer, *settings->plan);
}

} // namespace sagabox::app
