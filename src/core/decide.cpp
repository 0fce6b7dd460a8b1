#include "core/decide.hpp"

#include "core/forward.hpp"
#include "core/undo.hpp"

#include <chrono>
#include <string>

namespace sagabox::core {

namespace {

/// How soon a cancel looks again whether the event that it waits for has stopped.
constexpr std::chrono::milliseconds recheck{100};

Action or_done(std::optional<Action> next, const std::string& unclear)
{
    if (next) {
        // Whoever looks at the step that can't be undone must learn of the others as well: nothing
        // will come back to them before that.
        auto* person = std::get_if<NeedsPerson>(&*next);
        if (person != nullptr && !unclear.empty()) {
            person->why += "; " + unclear;
        }
        return std::move(*next);
    }
    if (!unclear.empty()) {
        return NeedsPerson{LetterReason::NON_RETRYABLE_ERROR, unclear, 0};
    }
    return Finish{};
}

std::string lost_workers(int deaths)
{
    return "its worker was lost " + std::to_string(deaths) +
           " times while undoing, with nothing written down";
}

Action decide_compensation(const Plan& plan, const History& history, const Compensation& letter,
                           DbTime now)
{
    if (letter.deaths > plan.revert_max_retries) {
        return NeedsPerson{LetterReason::POISONED, lost_workers(letter.deaths), letter.retry_count};
    }
    std::string unclear;
    const UndoErrand errand{&history.event, letter.deaths};
    return or_done(undo_next(plan, history, errand, now, unclear), unclear);
}

bool letter_at_work(const History& target)
{
    return target.letter == LetterStatus::PENDING || target.letter == LetterStatus::PROCESSING;
}

Action decide_cancellation(const Plan& plan, const Event& event, const Cancellation& errand,
                           DbTime now)
{
    if (event.deaths > plan.max_retries) {
        return NeedsPerson{LetterReason::POISONED, lost_workers(event.deaths), event.retry_count};
    }
    CancelWaiting waiting;
    for (const History& target : errand.targets) {
        if (target.event.status == EventStatus::PENDING) {
            waiting.events.push_back(target.event.id);
        }
    }
    if (!waiting.events.empty()) {
        return waiting;
    }
    for (const History& target : errand.targets) {
        if (target.event.status == EventStatus::PROCESSING || letter_at_work(target)) {
            return Wait{now + recheck, 0,
                        "event " + std::to_string(target.event.id.value) +
                            " is still being worked on"};
        }
    }
    std::string unclear;
    const UndoErrand undo{&event, event.deaths};
    for (auto target = errand.targets.rbegin(); target != errand.targets.rend(); ++target) {
        if (auto next = undo_next(plan, *target, undo, now, unclear)) {
            return or_done(std::move(next), unclear);
        }
    }
    return or_done(std::nullopt, unclear);
}

} // namespace

Action decide(const Plan& plan, const Saga& saga, DbTime now)
{
    if (const auto* forward = std::get_if<Forward>(&saga.errand)) {
        return decide_forward(plan, saga.own, *forward, now);
    }
    if (const auto* letter = std::get_if<Compensation>(&saga.errand)) {
        return decide_compensation(plan, saga.own, *letter, now);
    }
    return decide_cancellation(plan, saga.own.event, std::get<Cancellation>(saga.errand), now);
}

Wait wait_after_refusal(const Plan& plan, const Saga& saga, const std::string& error, DbTime now)
{
    const auto* letter = std::get_if<Compensation>(&saga.errand);
    const int retries = (letter != nullptr ? letter->retry_count : saga.own.event.retry_count) + 1;
    return {now + delay_after(retries, plan.backoff, 0), retries, "outcome SQL: " + error};
}

std::string describe(const Action& action)
{
    struct Describe {
        std::string operator()(const MakeCall& a) const
        {
            const bool revert = a.call.row.direction == Direction::revert;
            return "call " + a.call.row.destination + (revert ? ".revert" : "") + ": " +
                   a.call.row.http_method + " " + a.call.row.endpoint_url + ", attempt " +
                   std::to_string(a.call.row.attempt);
        }
        std::string operator()(const SendMail& a) const
        {
            return "send message " + std::to_string(a.mailing.message) + " by " +
                   a.mailing.provider + ", attempt " + std::to_string(a.mailing.attempt);
        }
        std::string operator()(const SkipStep& a) const
        {
            return "skip " + a.row.destination + ": " + a.row.error;
        }
        std::string operator()(const Wait& a) const { return "wait: " + a.why; }
        std::string operator()(const Finish&) const { return "finish: nothing is left to do"; }
        std::string operator()(const GiveUp& a) const
        {
            return "give up (" + std::string(to_label(a.reason)) + "): " + a.why;
        }
        std::string operator()(const NeedsPerson& a) const { return "needs a person: " + a.why; }
        std::string operator()(const StopForCancel&) const
        {
            return "stop: a cancel of this event waits";
        }
        std::string operator()(const CancelWaiting& a) const
        {
            return "cancel " + std::to_string(a.events.size()) + " waiting event(s)";
        }
    };
    return std::visit(Describe{}, action);
}

} // namespace sagabox::core
