#include "api/saga_forms.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace sagabox::api {

namespace {

template <class Number>
json::Value integer_or_null(const std::optional<Number>& number)
{
    return number ? json::Value::integer(*number) : json::Value{};
}

json::Value step_form(const store::SagaStep& step, const Forms& forms)
{
    json::Object form;
    form.set("destination", step.destination);
    form.set("direction", step.direction == core::Direction::forward ? "forward" : "revert");
    form.set("fanoutOrder", json::Value::integer(step.fanout_order));
    form.set("outcome", core::to_label(step.outcome));
    form.set("responseStatus", integer_or_null(step.response_status));
    form.set("attempts", json::Value::integer(step.attempts));
    form.set("durationMs",
             step.duration ? json::Value::integer(step.duration->count()) : json::Value{});
    form.set("publishedAt", moment(step.published_at));
    form.set("errorMessage", text_or_null(forms.shown(step.error)));
    return form;
}

json::Value letter_form(const store::SagaLetter& letter, const Forms& forms)
{
    json::Object form;
    form.set("id", json::Value::integer(letter.id.value));
    form.set("status", core::to_label(letter.status));
    form.set("reason", core::to_label(letter.reason));
    form.set("nextRetryAt", moment(letter.next_retry_at));
    form.set("revertError", text_or_null(forms.shown(letter.revert_error)));
    return form;
}

json::Value plan_form(const core::Plan& plan, const std::string& type)
{
    json::Array steps;
    const auto destinations = plan.steps_of(type);
    if (!destinations) {
        return steps;
    }
    for (const core::Destination* destination : *destinations) {
        json::Object form;
        form.set("destination", destination->name);
        form.set("undoable",
                 std::any_of(destination->routes.begin(), destination->routes.end(),
                             [](const core::Route& route) { return route.revert.has_value(); }));
        steps.emplace_back(std::move(form));
    }
    return steps;
}

json::Value saga_form(const store::SagaView& saga, const core::Plan& plan, const Forms& forms)
{
    json::Value form = forms.event(saga.event);
    json::Array steps;
    for (const store::SagaStep& step : saga.steps) {
        steps.push_back(step_form(step, forms));
    }
    json::Object& members = *form.as_object();
    members.set("plan", plan_form(plan, saga.event.type));
    members.set("steps", std::move(steps));
    members.set("deadLetter", saga.letter ? letter_form(*saga.letter, forms) : json::Value{});
    return form;
}

json::Object figures_form(const store::CallFigures& figures)
{
    json::Object form;
    form.set("calls", json::Value::integer(figures.calls));
    form.set("succeeded", json::Value::integer(figures.succeeded));
    form.set("rejected", json::Value::integer(figures.rejected));
    form.set("unknown", json::Value::integer(figures.unknown));
    form.set("p50Ms", json::Value::integer(figures.p50.count()));
    form.set("p95Ms", json::Value::integer(figures.p95.count()));
    form.set("slowestMs", json::Value::integer(figures.slowest.count()));
    return form;
}

} // namespace

json::Value saga_list_form(const store::Sagas& sagas, std::optional<std::int64_t> next,
                           const core::Plan& plan)
{
    const Forms forms(plan);
    json::Array items;
    for (const store::SagaView& saga : sagas.sagas) {
        items.push_back(saga_form(saga, plan, forms));
    }
    json::Value form = list_form(std::move(items), next);
    form.as_object()->set("now", moment(sagas.now));
    return form;
}

json::Value traffic_form(const store::Traffic& traffic)
{
    json::Array destinations;
    for (const auto& [name, destination] : traffic.destinations) {
        json::Array slots;
        for (const auto& [begin, figures] : destination.slots) {
            json::Object slot = figures_form(figures);
            slot.set("at", moment(DbTime{std::chrono::seconds(begin)}));
            slots.emplace_back(std::move(slot));
        }
        json::Object form = figures_form(destination.whole);
        form.set("destination", name);
        form.set("slots", std::move(slots));
        destinations.emplace_back(std::move(form));
    }
    json::Object form;
    form.set("now", moment(traffic.now));
    form.set("since", moment(traffic.since));
    form.set("slotSeconds", json::Value::integer(store::traffic_slot.count()));
    form.set("destinations", std::move(destinations));
    return form;
}

} // namespace sagabox::api
