#include "core/audit_replay.hpp"

#include <algorithm>
#include <utility>

namespace sagabox::core::audit {

namespace {

bool leads_to(const Action& action, const StepResult& row)
{
    if (const auto* skip = std::get_if<SkipStep>(&action)) {
        return row.outcome == Outcome::skipped && row.direction == Direction::forward &&
               skip->row.destination == row.destination &&
               skip->row.fanout_order == row.fanout_order;
    }
    const auto* make = std::get_if<MakeCall>(&action);
    if (make == nullptr || row.outcome == Outcome::skipped) {
        return false;
    }
    const StepResult& call = make->call.row;
    return call.destination == row.destination && call.direction == row.direction &&
           call.fanout_order == row.fanout_order && call.route == row.route &&
           call.attempt == row.attempt;
}

const Rule& rule_for(const Action& action, const StepResult& row)
{
    const auto out_of_retries = [](LetterReason reason) {
        return reason == LetterReason::MAX_RETRIES_EXCEEDED || reason == LetterReason::POISONED;
    };
    if (std::holds_alternative<Wait>(action)) {
        return rules::called_before_its_pause;
    }
    if (const auto* give_up = std::get_if<GiveUp>(&action)) {
        return out_of_retries(give_up->reason) ? rules::more_attempts_than_allowed
                                               : rules::step_out_of_turn;
    }
    if (const auto* person = std::get_if<NeedsPerson>(&action)) {
        return out_of_retries(person->reason) ? rules::more_attempts_than_allowed
                                              : rules::step_out_of_turn;
    }
    if (const auto* make = std::get_if<MakeCall>(&action)) {
        const StepResult& call = make->call.row;
        const bool same_step =
            call.destination == row.destination && call.direction == row.direction;
        return same_step && (call.route != row.route || row.outcome == Outcome::skipped)
                   ? rules::other_route_than_decided
                   : rules::step_out_of_turn;
    }
    if (const auto* skip = std::get_if<SkipStep>(&action)) {
        return skip->row.destination == row.destination ? rules::other_route_than_decided
                                                        : rules::step_out_of_turn;
    }
    return rules::step_out_of_turn;
}

} // namespace

Replay::Replay(const Plan& plan, const Terms& terms, const EventFacts& facts)
    : plan_(plan), terms_(terms), facts_(facts),
      bound_(forgiven_bound(facts)), past_{facts.event, {}, {}}
{
    past_.event.status = EventStatus::PROCESSED;
}

Action Replay::next(const StepResult& row, ResultId forgiven_up_to, int deaths)
{
    for (StepResult& before : past_.results) {
        before.forgiven = before.id <= forgiven_up_to || before.run < row.run;
    }
    past_.event.run = row.run;
    past_.event.deaths = deaths;
    // The row was committed after the call had ended: it left at this time at the latest.
    const DbTime at = row.published_at + -row.duration + terms_.slack;

    Saga saga;
    if (row.direction == Direction::revert && row.cause != row.event_id) {
        // Any cancel does: what it sends is compared by step, not by its headers.
        saga.own.event.id = row.cause;
        saga.own.event.type = "!" + past_.event.type;
        saga.own.event.aggregate_id = past_.event.aggregate_id;
        saga.own.event.uuid = past_.event.uuid;
        saga.own.event.deaths = row.interrupted;
        Cancellation errand;
        errand.targets.push_back(std::move(past_));
        saga.errand = std::move(errand);
        Action action = decide(plan_, saga, at);
        past_ = std::move(std::get<Cancellation>(saga.errand).targets.front());
        return action;
    }
    saga.own = std::move(past_);
    if (row.direction == Direction::revert) {
        Compensation errand;
        errand.deaths = row.interrupted;
        saga.errand = errand;
    } else {
        saga.errand = Forward{};
    }
    Action action = decide(plan_, saga, at);
    past_ = std::move(saga.own);
    return action;
}

std::optional<Disagreement> Replay::disagreement(const StepResult& row)
{
    std::vector<int> deaths{row.interrupted};
    if (row.direction == Direction::revert) {
        deaths = row.run == facts_.event.run ? std::vector<int>{facts_.event.deaths}
                                             : std::vector<int>{0, 1};
    }
    std::vector<ResultId> marks{mark_};
    for (const StepResult& before : past_.results) {
        if (before.id > mark_ && before.id <= bound_) {
            marks.push_back(before.id);
        }
    }
    std::optional<Disagreement> first;
    for (const ResultId mark : marks) {
        for (const int lost : deaths) {
            const Action action = next(row, mark, lost);
            if (leads_to(action, row)) {
                mark_ = mark;
                return std::nullopt;
            }
            if (!first) {
                first.emplace(Disagreement{
                    rule_for(action, row),
                    step_text(row) + ", where the rows before it say: " + describe(action)});
            }
        }
    }
    return first;
}

void Replay::remember(const StepResult& row)
{
    past_.results.push_back(row);
}

} // namespace sagabox::core::audit
