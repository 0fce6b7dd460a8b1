#include "core/undo.hpp"

#include "core/forward.hpp"
#include "core/memory.hpp"
#include "core/redact.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace sagabox::core {

namespace {

/// A step whose effect stands, or may stand.
struct Standing {
    const StepResult* row;
    const StepMemory* memory;
    bool certain;
    std::size_t position;
};

/// The history as it stood when the forward run ended: what has been undone or forgiven since is
/// there as on that day.
History before_undoing(const History& history, const Memory& memory)
{
    History then{history.event, {}, {}};
    for (const StepResult& row : history.results) {
        const auto known = memory.find(row.destination);
        const bool stands = known != memory.end() && known->second.done == &row;
        if (row.direction == Direction::forward && (row.run == history.event.run || stands)) {
            then.results.push_back(row);
            then.results.back().forgiven = false;
        }
    }
    return then;
}

/// The call that a lost worker may have made and did not live to write down.
std::optional<StepResult> call_cut_short(const Plan& plan, const History& history,
                                         const Memory& memory)
{
    const Event& event = history.event;
    if (event.deaths == 0) {
        return std::nullopt;
    }
    // Which step that was, and its route, must not depend on how far the undoing has come.
    const History then = before_undoing(history, memory);
    const std::optional<OpenStep> step = open_step(plan, event, remember(then, event.id));
    if (!step || step->route < 0) {
        return std::nullopt;
    }
    StepResult row;
    row.event_id = event.id;
    row.cause = event.id;
    row.destination = step->destination->name;
    row.fanout_order = step->fanout_order;
    row.route = step->route;
    row.run = event.run;
    row.request =
        redacted(envelope_for(event, step->destination->name).body,
                 step->destination->routes[static_cast<std::size_t>(step->route)].redact.request);
    row.outcome = Outcome::unknown;
    return row;
}

std::vector<Standing> standing_steps(const Memory& memory)
{
    std::vector<Standing> standing;
    for (const auto& [name, step] : memory) {
        if (step.done != nullptr) {
            standing.push_back({step.done, &step, true, step.position});
        } else if (step.maybe != nullptr) {
            standing.push_back({step.maybe, &step, false, step.position});
        }
    }
    std::sort(standing.begin(), standing.end(),
              [](const Standing& a, const Standing& b) { return a.position > b.position; });
    return standing;
}

std::string step_text(const Event& event, const StepResult& row)
{
    return row.destination + " of event " + std::to_string(event.id.value);
}

StepResult new_row(const Event& event, const StepResult& done, const UndoErrand& errand,
                   int attempt)
{
    StepResult row;
    row.event_id = event.id;
    row.cause = errand.sender->id;
    row.destination = done.destination;
    row.direction = Direction::revert;
    row.fanout_order = done.fanout_order;
    row.route = done.route;
    row.run = event.run;
    row.attempt = attempt;
    row.interrupted = errand.deaths;
    return row;
}

/// Not due yet, or failed for good; nothing where the revert is to be called now.
std::optional<Action> held_up(const Plan& plan, const Event& event, const StepMemory& memory,
                              DbTime now)
{
    const StepResult* last = memory.last_revert;
    if (last == nullptr) {
        return std::nullopt;
    }
    const int attempts = memory.revert_attempts;
    const std::string why = last->destination + ".revert: " + last->error + " (attempt " +
                            std::to_string(attempts) + ")";
    if (last->outcome == Outcome::rejected) {
        return NeedsPerson{LetterReason::NON_RETRYABLE_ERROR, why, attempts - 1};
    }
    if (attempts > plan.revert_max_retries) {
        return NeedsPerson{LetterReason::MAX_RETRIES_EXCEEDED, why, attempts - 1};
    }
    const DbTime due = last->published_at + pause_after(plan, event, *last, attempts);
    if (due > now) {
        return Wait{due, attempts, why};
    }
    return std::nullopt;
}

Action call_revert(const Plan& plan, const Event& event, const Standing& step, const Revert& revert,
                   const UndoErrand& errand)
{
    const int attempt = step.memory->revert_attempts + 1;
    Result<Request> request = build_revert(event, *errand.sender, *step.row, revert);
    if (!request) {
        return NeedsPerson{LetterReason::NON_RETRYABLE_ERROR,
                           "the call that undoes " + step_text(event, *step.row) +
                               " can't be built: " + request.error().text(),
                           attempt - 1};
    }
    StepResult row = new_row(event, *step.row, errand, attempt);
    row.endpoint_url = plan.shown_url(request->url);
    row.http_method = request->method;
    if (request->body) {
        row.request =
            redacted(json::parse(*request->body).value_or(json::Value{}), revert.redact.request);
    }
    return MakeCall{Call{std::move(*request), std::move(row), revert.classify, revert.retry_after,
                         revert.redact}};
}

} // namespace

std::optional<Action> undo_next(const Plan& plan, const History& history, const UndoErrand& errand,
                                DbTime now, std::string& unclear)
{
    const Event& event = history.event;
    const Memory memory = remember(history, errand.sender->id);
    std::vector<Standing> standing = standing_steps(memory);

    const std::optional<StepResult> cut_short = call_cut_short(plan, history, memory);
    const StepMemory nothing_remembered;
    if (cut_short) {
        const auto known = memory.find(cut_short->destination);
        const StepMemory& step = known == memory.end() ? nothing_remembered : known->second;
        const bool listed = step.maybe != nullptr;
        const bool undone = step.undone_in_run == event.run;
        if (!listed && !undone) {
            standing.insert(standing.begin(), {&*cut_short, &step, false, 0});
        }
    }

    for (const Standing& step : standing) {
        const Destination* destination = plan.destination(step.row->destination);
        const auto route = static_cast<std::size_t>(step.row->route);
        if (destination == nullptr || route >= destination->routes.size()) {
            return NeedsPerson{LetterReason::NON_RETRYABLE_ERROR,
                               step_text(event, *step.row) +
                                   " can't be undone: its route is no longer configured",
                               0};
        }
        const std::optional<Revert>& revert = destination->routes[route].revert;
        if (!revert) {
            continue;
        }
        if (!step.certain && needs_response(*revert)) {
            unclear += (unclear.empty() ? "" : "; ") + step_text(event, *step.row) +
                       " may have taken effect, and undoing it needs an answer that never came: "
                       "check it by hand";
            continue;
        }
        if (std::optional<Action> action = held_up(plan, event, *step.memory, now)) {
            return action;
        }
        return call_revert(plan, event, step, *revert, errand);
    }
    return std::nullopt;
}

} // namespace sagabox::core
