#include "core/forward.hpp"

#include "core/mail_step.hpp"
#include "core/redact.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace sagabox::core {

namespace {

const json::Value* previous_answer(const Memory& memory, const Condition& condition)
{
    const auto step = memory.find(condition.previous_destination);
    if (step == memory.end() || step->second.done == nullptr || !step->second.done->response) {
        return nullptr;
    }
    return &*step->second.done->response;
}

int choose_route(const Destination& destination, const Event& event, const Memory& memory)
{
    std::optional<Envelope> envelope; // few routes need the body to be chosen
    for (std::size_t i = 0; i < destination.routes.size(); ++i) {
        const std::optional<Condition>& condition = destination.routes[i].condition;
        if (!condition) {
            return static_cast<int>(i);
        }
        if (!envelope) {
            envelope = envelope_for(event, destination.name);
        }
        // With nothing sent there is no body to choose a route by.
        const bool by_body = condition->previous_destination.empty();
        if (by_body && !envelope->present) {
            continue;
        }
        if (holds(*condition, envelope->body,
                  by_body ? nullptr : previous_answer(memory, *condition))) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

StepResult new_row(const Event& event, const OpenStep& step, int attempt)
{
    StepResult row;
    row.event_id = event.id;
    row.cause = event.id;
    row.destination = step.destination->name;
    row.direction = Direction::forward;
    row.fanout_order = step.fanout_order;
    row.route = step.route;
    row.run = event.run;
    row.attempt = attempt;
    return row;
}

std::string attempt_text(const StepResult& row, int attempts)
{
    return row.destination + ": " + row.error + " (attempt " + std::to_string(attempts) + ")";
}

Action call_step(const Plan& plan, const Event& event, const OpenStep& step, int attempt)
{
    Envelope envelope = envelope_for(event, step.destination->name);
    StepResult row = new_row(event, step, attempt);
    if (step.route < 0) {
        row.request = std::move(envelope.body);
        row.route = 0;
        row.outcome = Outcome::skipped;
        row.error = "no route's condition holds";
        return SkipStep{std::move(row)};
    }
    const Route& route = step.destination->routes[static_cast<std::size_t>(step.route)];
    Result<Request> request = build_forward(event, *step.destination, route, envelope);
    if (!request) {
        return GiveUp{LetterReason::NON_RETRYABLE_ERROR,
                      step.destination->name + ": " + request.error().text(), attempt - 1};
    }
    row.request = redacted(std::move(envelope.body), route.redact.request);
    row.interrupted = event.deaths;
    row.endpoint_url = plan.shown_url(request->url);
    row.http_method = request->method;
    return MakeCall{
        Call{std::move(*request), std::move(row), route.classify, route.retry_after, route.redact}};
}

} // namespace

std::uint64_t jitter_seed(const Event& event, const StepResult& row, int attempts)
{
    std::uint64_t hash = 14695981039346656037ULL; // FNV-1a
    const auto mix = [&hash](std::string_view text) {
        for (const char c : text) {
            hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
        }
    };
    mix(event.uuid);
    mix(row.destination);
    mix(std::to_string(attempts));
    return hash;
}

std::chrono::milliseconds pause_after(const Plan& plan, const Event& event, const StepResult& row,
                                      int attempts)
{
    return row.retry_after ? *row.retry_after
                           : delay_after(attempts, plan.backoff, jitter_seed(event, row, attempts));
}

std::optional<OpenStep> open_step(const Plan& plan, const Event& event, const Memory& memory)
{
    const auto steps = plan.steps_of(event.type);
    if (!steps) {
        return std::nullopt;
    }
    int order = 0;
    for (const Destination* destination : *steps) {
        const auto known = memory.find(destination->name);
        const bool over =
            known != memory.end() && (known->second.done != nullptr || known->second.skipped);
        if (!over) {
            return OpenStep{destination, order, choose_route(*destination, event, memory)};
        }
        ++order;
    }
    return std::nullopt;
}

Action decide_forward(const Plan& plan, const History& history, const Forward& errand, DbTime now)
{
    const Event& event = history.event;
    if (event.deaths > plan.max_retries) {
        return GiveUp{LetterReason::POISONED,
                      "its worker was lost " + std::to_string(event.deaths) +
                          " times with nothing written down: the event may be what kills it",
                      event.retry_count};
    }
    if (event.payloads.as_object() == nullptr) {
        return GiveUp{LetterReason::NON_RETRYABLE_ERROR,
                      "payloads is no JSON object: it must map each destination to what it is sent",
                      0};
    }
    if (!plan.steps_of(event.type)) {
        return GiveUp{LetterReason::NON_RETRYABLE_ERROR,
                      "nothing is configured for this event type: add outbox.http.fanout." +
                          event.type + " or outbox.http.routes." + event.type,
                      0};
    }
    const Memory memory = remember(history, event.id);
    const std::optional<OpenStep> step = open_step(plan, event, memory);
    if (!step) {
        return Finish{};
    }
    if (errand.cancel_waiting) {
        return StopForCancel{};
    }
    if (step->destination->means == Means::mail) {
        return decide_mail(plan, history, *step, errand, now);
    }
    const auto known = memory.find(step->destination->name);
    const int attempts = known == memory.end() ? 0 : known->second.attempts;
    const StepResult* last = known == memory.end() ? nullptr : known->second.last;
    if (last != nullptr) {
        if (last->outcome == Outcome::rejected) {
            return GiveUp{LetterReason::NON_RETRYABLE_ERROR, attempt_text(*last, attempts),
                          attempts - 1};
        }
        if (attempts > plan.max_retries) {
            return GiveUp{LetterReason::MAX_RETRIES_EXCEEDED, attempt_text(*last, attempts),
                          attempts - 1};
        }
        const DbTime due = last->published_at + pause_after(plan, event, *last, attempts);
        if (due > now) {
            return Wait{due, attempts, attempt_text(*last, attempts)};
        }
    }
    return call_step(plan, event, *step, attempts + 1);
}

} // namespace sagabox::core
