#include "api/outbox.hpp"

#include "api/answer.hpp"
#include "api/forms.hpp"
#include "api/parameters.hpp"
#include "store/event_actions.hpp"
#include "store/requests.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace sagabox::api {

namespace {

http::Response no_such_event(std::int64_t id)
{
    return problem(404, fmt::format("There is no event {}.", id));
}

class Outbox {
public:
    Outbox(Database& database, const PlanInForce& plans) : database_(database), plans_(plans) {}

    [[nodiscard]] http::Response stats(const Call&) const;
    [[nodiscard]] http::Response list(const Call& call) const;
    [[nodiscard]] http::Response show(const Call& call) const;
    [[nodiscard]] http::Response retry(const Call& call) const;
    [[nodiscard]] http::Response cancel(const Call& call) const;

private:
    Database& database_;
    const PlanInForce& plans_;
};

http::Response Outbox::stats(const Call&) const
{
    const Result<store::Overview> overview =
        database_.ask<store::Overview>([](pg::Connection& connection, Deadline deadline) {
            return store::read_overview(connection, deadline);
        });
    if (!overview) {
        return fault_answer(overview.error());
    }
    const auto plan = plans_.current();
    return json_answer(200, Forms(*plan).overview(*overview));
}

http::Response Outbox::list(const Call& call) const
{
    Parameters query(call.request);
    store::EventFilter filter;
    filter.status = query.label("status", &core::event_status,
                                "PENDING, PROCESSING, PROCESSED, FAILED, CANCELLED");
    filter.type = query.text("type");
    filter.aggregate_id = query.text("aggregate");
    filter.before = query.before();
    filter.limit = query.limit();
    if (auto wrong = query.problem()) {
        return *std::move(wrong);
    }
    const auto page = database_.ask<store::Page<store::EventView>>(
        [filter](pg::Connection& connection, Deadline deadline) {
            return store::list_events(connection, filter, deadline);
        });
    if (!page) {
        return fault_answer(page.error());
    }
    const auto plan = plans_.current();
    const Forms forms(*plan);
    json::Array items;
    for (const store::EventView& event : page->items) {
        items.push_back(forms.event(event));
    }
    return json_answer(200, list_form(std::move(items), page->next));
}

http::Response Outbox::show(const Call& call) const
{
    const auto found = database_.ask<std::optional<store::EventDetail>>(
        [id = EventId{call.id}](pg::Connection& connection, Deadline deadline) {
            return store::get_event(connection, id, deadline);
        });
    if (!found) {
        return fault_answer(found.error());
    }
    if (!*found) {
        return no_such_event(call.id);
    }
    const auto plan = plans_.current();
    return json_answer(200, Forms(*plan).event(**found));
}

http::Response Outbox::retry(const Call& call) const
{
    Body body(call.request);
    const std::string by = body.text("by", Body::Presence::optional, 200);
    if (auto wrong = body.problem()) {
        return *std::move(wrong);
    }
    const Result<store::Retried> retried = database_.ask<store::Retried>(
        [id = EventId{call.id}, by](pg::Connection& connection, Deadline deadline) {
            return store::retry_event(connection, id, by, deadline);
        });
    if (!retried) {
        if (retried.error().code() == "23505") {
            return problem(409, "Another active event has its idempotency key; wait until that one "
                                "has ended.");
        }
        return fault_answer(retried.error());
    }
    json::Object form;
    form.set("id", json::Value::integer(call.id));
    switch (retried->how) {
    case store::Retried::How::due_now:
        form.set("effect", "dueNow");
        break;
    case store::Retried::How::run_again:
        form.set("effect", "runAgain");
        break;
    case store::Retried::How::undoing:
        form.set("effect", "undoing");
        break;
    case store::Retried::How::covered:
        form.set("effect", "covered");
        break;
    case store::Retried::How::unknown:
        return no_such_event(call.id);
    case store::Retried::How::refused:
        return problem(
            409, "The event can't be tried again as it stands: it is due or being worked on, it "
                 "ended well, its dead letter is still at work, or a call of it is in doubt and a "
                 "person must first look at that and resolve the letter.");
    }
    if (retried->how != store::Retried::How::undoing &&
        retried->how != store::Retried::How::covered) {
        form.set("run", json::Value::integer(retried->run));
    }
    return json_answer(202, form);
}

http::Response Outbox::cancel(const Call& call) const
{
    const Body body(call.request);
    if (auto wrong = body.problem()) {
        return *std::move(wrong);
    }
    const auto asked = database_.ask<std::optional<store::AskedCancel>>(
        [id = EventId{call.id}](pg::Connection& connection, Deadline deadline) {
            return store::ask_cancel(connection, id, deadline);
        });
    if (!asked) {
        return fault_answer(asked.error());
    }
    if (*asked) {
        json::Object form;
        form.set("id", json::Value::integer((*asked)->id.value));
        form.set("eventType", (*asked)->event_type);
        form.set("aggregateId", (*asked)->aggregate_id);
        return json_answer(202, form);
    }
    const auto found = database_.ask<std::optional<core::History>>(
        [id = EventId{call.id}](pg::Connection& connection, Deadline deadline) {
            return store::find_history(connection, id, deadline);
        });
    if (!found) {
        return fault_answer(found.error());
    }
    return *found ? problem(409, "A cancel can't be cancelled itself.") : no_such_event(call.id);
}

} // namespace

void add_outbox_routes(Router& router, Database& database, const PlanInForce& plans)
{
    const Outbox outbox(database, plans);
    router.add({"GET", "/api/outbox/stats", {}, [outbox](const Call& c) {
                    return outbox.stats(c);
                }});
    router.add({"GET",
                "/api/outbox/events",
                {"status", "type", "aggregate", "before", "limit"},
                [outbox](const Call& c) {
                    return outbox.list(c);
                }});
    router.add({"GET", "/api/outbox/events/{id}", {}, [outbox](const Call& c) {
                    return outbox.show(c);
                }});
    router.add({"POST", "/api/outbox/events/{id}/retry", {}, [outbox](const Call& c) {
                    return outbox.retry(c);
                }});
    router.add({"POST", "/api/outbox/events/{id}/cancel", {}, [outbox](const Call& c) {
                    return outbox.cancel(c);
                }});
}

} // namespace sagabox::api
