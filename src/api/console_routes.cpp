#include "api/console_routes.hpp"

#include "api/answer.hpp"
#include "api/explanation.hpp"
#include "api/parameters.hpp"
#include "api/saga_forms.hpp"
#include "core/vocabulary.hpp"
#include "store/event_views.hpp"
#include "store/mail_views.hpp"
#include "store/requests.hpp"
#include "store/saga_views.hpp"
#include "store/traffic.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sagabox::api {

namespace {

constexpr std::size_t most_ids = 200;

// A message comes from outside: it runs no script, loads nothing, and has an origin of its own.
// Only a frame of the console may show it.
constexpr const char* preview_policy =
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'";

std::optional<std::vector<std::int64_t>> read_ids(std::string_view text)
{
    std::vector<std::int64_t> ids;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        const auto id = read_id(text.substr(0, comma));
        if (!id || ids.size() == most_ids) {
            return std::nullopt;
        }
        ids.push_back(*id);
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    }
    return ids;
}

struct Wanted {
    store::EventFilter filter;
    std::vector<std::int64_t> ids; ///< none: by the filter
};

struct Found {
    store::Sagas sagas;
    std::optional<std::int64_t> next;
};

Task<Result<Found>> find_sagas(pg::Connection& connection, Wanted wanted, Deadline deadline)
{
    Found found;
    if (wanted.ids.empty()) {
        const Result<store::Page<store::EventView>> page =
            co_await store::list_events(connection, std::move(wanted.filter), deadline);
        if (!page) {
            co_return fail(page.error());
        }
        found.next = page->next;
        for (const store::EventView& event : page->items) {
            wanted.ids.push_back(event.id.value);
        }
    }
    Result<store::Sagas> sagas =
        co_await store::load_sagas(connection, std::move(wanted.ids), deadline);
    if (!sagas) {
        co_return fail(sagas.error());
    }
    found.sagas = std::move(*sagas);
    co_return found;
}

class Console {
public:
    Console(Database& database, const PlanInForce& plans) : database_(database), plans_(plans) {}

    [[nodiscard]] http::Response list(const Call& call) const;
    [[nodiscard]] http::Response traffic() const;
    [[nodiscard]] http::Response explain(const Call& call) const;
    [[nodiscard]] http::Response preview(const Call& call) const;

private:
    Database& database_;
    const PlanInForce& plans_;
};

http::Response Console::list(const Call& call) const
{
    Parameters query(call.request);
    Wanted wanted;
    wanted.filter.status = query.label("status", &core::event_status,
                                       "PENDING, PROCESSING, PROCESSED, FAILED, CANCELLED");
    wanted.filter.type = query.text("type");
    wanted.filter.aggregate_id = query.text("aggregate");
    wanted.filter.before = query.before();
    wanted.filter.limit = query.limit();
    if (auto ids = read_ids(query.text("ids"))) {
        wanted.ids = std::move(*ids);
    } else {
        query.refuse("ids must be at most 200 positive whole numbers with commas.");
    }
    if (auto wrong = query.problem()) {
        return *std::move(wrong);
    }
    const Result<Found> found =
        database_.ask<Found>([wanted](pg::Connection& connection, Deadline deadline) {
            return find_sagas(connection, wanted, deadline);
        });
    if (!found) {
        return fault_answer(found.error());
    }
    const auto plan = plans_.current();
    return json_answer(200, saga_list_form(found->sagas, found->next, *plan));
}

http::Response Console::traffic() const
{
    const Result<store::Traffic> traffic = database_.ask<store::Traffic>(&store::read_traffic);
    return traffic ? json_answer(200, traffic_form(*traffic)) : fault_answer(traffic.error());
}

http::Response Console::explain(const Call& call) const
{
    const auto found = database_.ask<std::optional<core::History>>(
        [id = EventId{call.id}](pg::Connection& connection, Deadline deadline) {
            return store::find_history(connection, id, deadline);
        });
    if (!found) {
        return fault_answer(found.error());
    }
    if (!*found) {
        return problem(404, fmt::format("There is no event {}.", call.id));
    }
    const auto plan = plans_.current();
    return json_answer(200, explanation_form(*plan, **found));
}

http::Response Console::preview(const Call& call) const
{
    const auto found = database_.ask<std::optional<store::MailStory>>(
        [id = call.id](pg::Connection& connection, Deadline deadline) {
            return store::get_mail(connection, id, deadline);
        });
    if (!found) {
        return fault_answer(found.error());
    }
    if (!*found) {
        return problem(404, fmt::format("There is no message {}.", call.id));
    }
    http::Response response;
    const bool html = !(*found)->html.empty();
    response.headers = {
        {"Content-Type", html ? "text/html; charset=utf-8" : "text/plain; charset=utf-8"},
        {"Content-Security-Policy", preview_policy}};
    response.body = html ? (*found)->html : (*found)->text;
    return response;
}

} // namespace

void add_console_routes(Router& router, Database& database, const PlanInForce& plans)
{
    const Console console(database, plans);
    router.add({"GET",
                "/api/outbox/sagas",
                {"status", "type", "aggregate", "before", "limit", "ids"},
                [console](const Call& c) {
                    return console.list(c);
                }});
    router.add({"GET", "/api/outbox/traffic", {}, [console](const Call&) {
                    return console.traffic();
                }});
    router.add({"GET", "/api/outbox/events/{id}/explain", {}, [console](const Call& c) {
                    return console.explain(c);
                }});
    router.add({"GET", "/api/emails/{id}/preview", {}, [console](const Call& c) {
                    return console.preview(c);
                }});
}

} // namespace sagabox::api
