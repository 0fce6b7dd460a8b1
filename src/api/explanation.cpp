#include "api/explanation.hpp"

#include "api/forms.hpp"
#include "api/next_action.hpp"
#include "core/call.hpp"
#include "core/decide.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace sagabox::api {

namespace {

/// Longest value that a sentence quotes.
constexpr std::size_t most_of_a_value = 120;

std::string_view words_of(core::Operator op)
{
    switch (op) {
    case core::Operator::eq:
        return "be equal to";
    case core::Operator::ne:
        return "differ from";
    case core::Operator::gt:
        return "be greater than";
    case core::Operator::gte:
        return "be at least";
    case core::Operator::lt:
        return "be less than";
    case core::Operator::lte:
        return "be at most";
    case core::Operator::contains:
        return "contain";
    case core::Operator::exists:
        return "be there";
    }
    return "";
}

/// What a route looked at when it was chosen.
struct Evidence {
    const json::Value* body;
    std::map<std::string, const json::Value*, std::less<>> answers; ///< by destination
};

const json::Value* looked_at(const core::Condition& condition, const Evidence& evidence)
{
    if (condition.previous_destination.empty()) {
        return evidence.body;
    }
    const auto found = evidence.answers.find(condition.previous_destination);
    return found == evidence.answers.end() ? nullptr : found->second;
}

std::string quote_value(const json::Value& value)
{
    std::string text = json::write(value);
    if (text.size() > most_of_a_value) {
        text = json::to_storable_text(text.substr(0, most_of_a_value)) + " …";
    }
    return text;
}

/// `$.riskScore of fraudCheck's answer is 75, and must be at least 50`
std::string describe(const core::Condition& condition, const Evidence& evidence)
{
    const std::string where = condition.previous_destination.empty()
                                  ? "the request"
                                  : condition.previous_destination + "'s answer";
    const json::Value* document = looked_at(condition, evidence);
    const json::Value* seen = document == nullptr ? nullptr : condition.path.first(*document);
    std::string text = condition.path.text() + " of " + where +
                       (seen == nullptr ? " is not there" : " is " + quote_value(*seen)) +
                       ", and must " + std::string(words_of(condition.op));
    if (condition.op != core::Operator::exists) {
        text += " " + condition.value;
    }
    return text;
}

std::string why_taken(const core::Destination& destination, const core::StepResult& row,
                      const Evidence& evidence)
{
    const auto index = static_cast<std::size_t>(row.route);
    if (index >= destination.routes.size()) {
        return "The route that was taken is no longer configured.";
    }
    if (const auto& condition = destination.routes[index].condition) {
        return describe(*condition, evidence) + ".";
    }
    return destination.routes.size() == 1 ? "It is the only route, without a condition."
                                          : "It has no condition, and no route before it fitted.";
}

std::string why_none(const core::Destination& destination, const Evidence& evidence)
{
    std::string text = "No route fitted:";
    for (const core::Route& route : destination.routes) {
        if (route.condition) {
            text += "\n" + describe(*route.condition, evidence);
        }
    }
    return text;
}

json::Value routes_form(const core::Plan& plan, const Forms& forms, const core::History& history)
{
    json::Array routes;
    std::map<std::string, bool, std::less<>> told;
    Evidence evidence{nullptr, {}};
    for (const core::StepResult& row : history.results) {
        if (row.direction != core::Direction::forward || row.run != history.event.run) {
            continue;
        }
        const core::Destination* destination = plan.destination(row.destination);
        if (destination != nullptr && destination->means == core::Means::http &&
            told.emplace(row.destination, true).second) {
            evidence.body = &row.request;
            json::Object form;
            form.set("destination", row.destination);
            form.set("endpointUrl", text_or_null(plan.shown_url(row.endpoint_url)));
            form.set("why", forms.shown(row.outcome == core::Outcome::skipped
                                            ? why_none(*destination, evidence)
                                            : why_taken(*destination, row, evidence)));
            routes.emplace_back(std::move(form));
        }
        if (row.outcome == core::Outcome::succeeded && row.response) {
            evidence.answers.insert_or_assign(row.destination, &*row.response);
        }
    }
    return routes;
}

json::Value undo_form(const core::MakeCall& call, const Forms& forms)
{
    json::Object form;
    form.set("destination", call.call.row.destination);
    form.set("httpMethod", call.call.request.method);
    form.set("endpointUrl", call.call.row.endpoint_url);
    json::Value body;
    if (call.call.request.body) {
        const std::string shown = forms.shown(json::write(call.call.row.request));
        const Result<json::Value> parsed = json::parse(shown);
        body = parsed ? *parsed : json::Value(shown);
    }
    form.set("body", std::move(body));
    return form;
}

/// A moment past every wait: what would be undone is asked, not when.
DbTime after_all_waits()
{
    return {std::chrono::hours(24 * 365 * 1000)};
}

/// What is done next, whenever that is.
std::string next_of(const core::Plan& plan, const core::History& history)
{
    const bool undoing = history.letter && is_open(*history.letter);
    if (!is_open(history.event.status) && !undoing) {
        return "nothing; it has ended";
    }
    if (core::is_cancellation(history.event.type)) {
        return "undo what the aggregate's " +
               std::string(core::cancelled_type(history.event.type)) + " events did";
    }
    core::Saga saga;
    saga.own = history;
    if (undoing) {
        saga.errand = core::Compensation{};
    }
    return core::describe(core::decide(plan, saga, after_all_waits()));
}

/// Plays a cancel of the event through `decide`, each undo succeeding.
void explain_undo(const core::Plan& plan, const Forms& forms, const core::History& history,
                  json::Object& form)
{
    core::Saga cancel;
    cancel.own.event = history.event;
    cancel.own.event.deaths = 0;
    core::Cancellation errand{{history}};
    errand.targets[0].event.status = core::EventStatus::PROCESSED;
    errand.targets[0].letter.reset();
    cancel.errand = std::move(errand);

    json::Array undo;
    json::Value stops;
    for (;;) {
        const core::Action action = core::decide(plan, cancel, after_all_waits());
        const auto* call = std::get_if<core::MakeCall>(&action);
        if (call == nullptr) {
            if (const auto* person = std::get_if<core::NeedsPerson>(&action)) {
                stops = forms.shown(person->why);
            }
            break;
        }
        undo.push_back(undo_form(*call, forms));
        core::StepResult undone = call->call.row;
        undone.outcome = core::Outcome::succeeded;
        std::get<core::Cancellation>(cancel.errand).targets[0].results.push_back(std::move(undone));
    }
    form.set("undo", std::move(undo));
    form.set("undoStops", std::move(stops));
}

} // namespace

json::Value explanation_form(const core::Plan& plan, const core::History& history)
{
    const Forms forms(plan);
    json::Object form;
    form.set("next", forms.shown(next_of(plan, history)));
    form.set("routes", routes_form(plan, forms, history));
    if (core::is_cancellation(history.event.type)) {
        form.set("undo", json::Array{});
        form.set("undoStops", json::Value{});
    } else {
        explain_undo(plan, forms, history, form);
    }
    return form;
}

} // namespace sagabox::api
