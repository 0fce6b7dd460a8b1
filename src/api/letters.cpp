#include "api/answer.hpp"
#include "api/forms.hpp"
#include "api/outbox.hpp"
#include "api/parameters.hpp"
#include "store/event_actions.hpp"

#include <utility>

#include <fmt/format.h>

namespace sagabox::api {

namespace {

http::Response no_such_letter(std::int64_t id)
{
    return problem(404, fmt::format("There is no dead letter {}.", id));
}

class Letters {
public:
    Letters(Database& database, const PlanInForce& plans) : database_(database), plans_(plans) {}

    [[nodiscard]] http::Response list(const Call& call) const;
    [[nodiscard]] http::Response show(const Call& call) const;
    [[nodiscard]] http::Response retry(const Call& call) const;
    [[nodiscard]] http::Response resolve(const Call& call) const;

private:
    using Changed = Result<std::optional<store::ChangedLetter>>;
    [[nodiscard]] http::Response tell(const Call& call, const Changed& changed) const;

    Database& database_;
    const PlanInForce& plans_;
};

http::Response Letters::list(const Call& call) const
{
    Parameters query(call.request);
    store::LetterFilter filter;
    filter.status = query.label("status", &core::letter_status,
                                "PENDING, PROCESSING, PROCESSED, FAILED, RESOLVED");
    filter.reason = query.label("reason", &core::letter_reason,
                                "MAX_RETRIES_EXCEEDED, NON_RETRYABLE_ERROR, POISONED");
    filter.before = query.before();
    filter.limit = query.limit();
    if (auto wrong = query.problem()) {
        return *std::move(wrong);
    }
    const auto page = database_.ask<store::Page<store::LetterView>>(
        [filter](pg::Connection& connection, Deadline deadline) {
            return store::list_letters(connection, filter, deadline);
        });
    if (!page) {
        return fault_answer(page.error());
    }
    const auto plan = plans_.current();
    const Forms forms(*plan);
    json::Array items;
    for (const store::LetterView& letter : page->items) {
        items.push_back(forms.letter(letter));
    }
    return json_answer(200, list_form(std::move(items), page->next));
}

http::Response Letters::show(const Call& call) const
{
    const auto found = database_.ask<std::optional<store::LetterDetail>>(
        [id = LetterId{call.id}](pg::Connection& connection, Deadline deadline) {
            return store::get_letter(connection, id, deadline);
        });
    if (!found) {
        return fault_answer(found.error());
    }
    if (!*found) {
        return no_such_letter(call.id);
    }
    const auto plan = plans_.current();
    return json_answer(200, Forms(*plan).letter(**found));
}

http::Response Letters::tell(const Call& call, const Changed& changed) const
{
    if (!changed) {
        return fault_answer(changed.error());
    }
    if (*changed) {
        json::Object form;
        form.set("id", json::Value::integer((*changed)->id.value));
        form.set("originalEventId", json::Value::integer((*changed)->event.value));
        form.set("status", (*changed)->status);
        return json_answer(202, form);
    }
    const auto found = database_.ask<std::optional<store::LetterDetail>>(
        [id = LetterId{call.id}](pg::Connection& connection, Deadline deadline) {
            return store::get_letter(connection, id, deadline);
        });
    if (!found) {
        return fault_answer(found.error());
    }
    if (!*found) {
        return no_such_letter(call.id);
    }
    return problem(409, fmt::format("The dead letter is {}; only one that is FAILED waits for a "
                                    "person.",
                                    core::to_label((*found)->letter.status)));
}

http::Response Letters::retry(const Call& call) const
{
    const Body body(call.request);
    if (auto wrong = body.problem()) {
        return *std::move(wrong);
    }
    return tell(call, database_.ask<std::optional<store::ChangedLetter>>(
                          [id = LetterId{call.id}](pg::Connection& connection, Deadline deadline) {
                              return store::retry_letter(connection, id, deadline);
                          }));
}

http::Response Letters::resolve(const Call& call) const
{
    Body body(call.request);
    store::Closing closing;
    closing.note = body.text("note", Body::Presence::required, 10'000);
    closing.by = body.text("by", Body::Presence::optional, 200);
    if (auto wrong = body.problem()) {
        return *std::move(wrong);
    }
    return tell(
        call, database_.ask<std::optional<store::ChangedLetter>>(
                  [id = LetterId{call.id}, closing](pg::Connection& connection, Deadline deadline) {
                      return store::resolve_letter(connection, id, closing, deadline);
                  }));
}

} // namespace

void add_letter_routes(Router& router, Database& database, const PlanInForce& plans)
{
    const Letters letters(database, plans);
    router.add({"GET",
                "/api/dead-letters",
                {"status", "reason", "before", "limit"},
                [letters](const Call& c) {
                    return letters.list(c);
                }});
    router.add({"GET", "/api/dead-letters/{id}", {}, [letters](const Call& c) {
                    return letters.show(c);
                }});
    router.add({"POST", "/api/dead-letters/{id}/retry", {}, [letters](const Call& c) {
                    return letters.retry(c);
                }});
    router.add({"POST", "/api/dead-letters/{id}/resolve", {}, [letters](const Call& c) {
                    return letters.resolve(c);
                }});
}

} // namespace sagabox::api
