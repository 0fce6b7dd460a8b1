#include "core/audit_rules.hpp"
#include "core/decide.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace sagabox::core::audit {

namespace {

/// Far enough that no pause is left to wait for.
constexpr std::chrono::hours past_all_pauses{24 * 365 * 1000};

DbTime after_all_waits(const EventFacts& facts)
{
    return facts.status_changed_at + past_all_pauses;
}

/// The history as it stood when the last forward run ended: undoing came later.
History forward_history(const EventFacts& facts)
{
    History history{facts.event, {}, {}};
    history.event.deaths = 0;
    for (const StepResult& row : facts.results) {
        if (row.direction == Direction::forward || row.run < facts.event.run) {
            history.results.push_back(row);
            history.results.back().forgiven = row.run < facts.event.run;
        }
    }
    return history;
}

/// An event and its last row commit together. Where their times are the same, no row behind it is
/// missing.
bool ends_with_its_last_row(const History& history, DbTime ended_at)
{
    return std::any_of(history.results.begin(), history.results.end(),
                       [ended_at](const StepResult& row) { return row.published_at == ended_at; });
}

bool has_a_gap(const History& history)
{
    std::set<int> orders;
    for (const StepResult& row : history.results) {
        if (row.direction == Direction::forward) {
            orders.insert(row.fanout_order);
        }
    }
    return !orders.empty() &&
           (*orders.begin() != 0 || *orders.rbegin() + 1 != static_cast<int>(orders.size()));
}

void judge_completed(const Plan& plan, const EventFacts& facts, Report& report)
{
    Saga saga{forward_history(facts), Forward{}};
    if (has_a_gap(saga.own)) {
        report.finding(rules::completed_with_a_step_missing,
                       "it is completed, and a step in the middle of its rows is missing");
        return;
    }
    const Action next = decide(plan, saga, after_all_waits(facts));
    if (!std::holds_alternative<Finish>(next)) {
        report.by_plan(rules::completed_with_a_step_missing,
                       ends_with_its_last_row(saga.own, facts.status_changed_at),
                       "it is completed, and what is stored asks for more: " + describe(next));
    }
}

/// Whatever counts against retries is set aside: the question is what is left to be undone.
History all_forgiven(const EventFacts& facts)
{
    History history{facts.event, facts.results, {}};
    for (StepResult& row : history.results) {
        row.forgiven = true;
    }
    return history;
}

void judge_given_up(const Plan& plan, const EventFacts& facts, Report& report)
{
    if (facts.letters.empty()) {
        return;
    }
    const LetterFacts& letter = facts.letters.back();
    // Where workers were lost, an event with nothing left to do is given up like any other.
    if (letter.reason != LetterReason::POISONED) {
        const Saga forward{forward_history(facts), Forward{}};
        if (std::holds_alternative<Finish>(decide(plan, forward, after_all_waits(facts)))) {
            report.by_plan(rules::given_up_though_complete, true,
                           "it is in the dead letters, and each of its steps is done");
        }
    }
    if (letter.status != LetterStatus::PROCESSED) {
        return;
    }
    const Saga undoing{all_forgiven(facts), Compensation{}};
    const Action next = decide(plan, undoing, after_all_waits(facts));
    if (!std::holds_alternative<Finish>(next)) {
        report.by_plan(rules::compensated_with_a_success_left,
                       ends_with_its_last_row(undoing.own, letter.status_changed_at),
                       "letter " + std::to_string(letter.id.value) +
                           " is compensated, and something is left to undo: " + describe(next));
    }
}

/// What was written down of a cancel's target by the time that the cancel ended.
History history_until(const EventFacts& facts, DbTime end)
{
    History history = all_forgiven(facts);
    std::erase_if(history.results, [end](const StepResult& row) { return row.published_at > end; });
    history.event.status = EventStatus::PROCESSED;
    history.event.run = 1;
    for (const StepResult& row : history.results) {
        history.event.run = std::max(history.event.run, row.run);
    }
    if (history.event.run != facts.event.run || facts.status_changed_at > end) {
        history.event.deaths = 0; // the workers were lost later than that
    }
    return history;
}

void judge_cancel(const Plan& plan, const EventFacts& facts,
                  std::span<const EventFacts* const> earlier, Report& report)
{
    const std::string_view type = cancelled_type(facts.event.type);
    const DbTime end = facts.status_changed_at;
    bool last_row_there = false;
    for (const EventFacts* target : earlier) {
        last_row_there =
            last_row_there ||
            std::any_of(target->results.begin(), target->results.end(), [&](const StepResult& row) {
                return row.cause == facts.event.id && row.published_at == end;
            });
    }
    for (const EventFacts* target : earlier) {
        if (target->event.type != type) {
            continue;
        }
        Saga saga{{facts.event, {}, {}}, Cancellation{}};
        saga.own.event.deaths = 0;
        std::get<Cancellation>(saga.errand).targets.push_back(history_until(*target, end));
        const Action next = decide(plan, saga, end + past_all_pauses);
        if (!std::holds_alternative<Finish>(next)) {
            report.by_plan(rules::cancelled_with_a_success_left, last_row_there,
                           "it is carried out, and of event " +
                               std::to_string(target->event.id.value) +
                               " something is left to undo: " + describe(next));
        }
    }
}

/// A cancel undoes the later events first; one that ran again in between comes when it comes.
void judge_order_of_targets(const EventFacts& facts, std::span<const EventFacts* const> earlier,
                            Report& report)
{
    if (!facts.letters.empty()) {
        return; // a person had it go on, and other events may have ended since
    }
    ResultId last_of_later;
    for (auto target = earlier.rbegin(); target != earlier.rend(); ++target) {
        if ((*target)->event.run > 1) {
            continue;
        }
        for (const StepResult& row : (*target)->results) {
            if (row.cause != facts.event.id) {
                continue;
            }
            if (row.id < last_of_later) {
                report.finding(rules::reverts_out_of_order,
                               "event " + std::to_string((*target)->event.id.value) +
                                   " was undone before a later event of the aggregate");
                return;
            }
            last_of_later = std::max(last_of_later, row.id);
        }
    }
}

void judge_rows_behind_the_end(const Terms& terms, const EventFacts& facts, Report& report)
{
    for (const StepResult& row : facts.results) {
        if (row.direction == Direction::forward &&
            row.published_at > facts.status_changed_at + terms.slack) {
            report.finding(rules::called_after_the_end,
                           step_text(row) + " came after the event had become " +
                               std::string(to_label(facts.event.status)));
            return;
        }
    }
}

} // namespace

void judge_end(const Plan& plan, const Terms& terms, const EventFacts& facts,
               std::span<const EventFacts* const> earlier, Report& report)
{
    if (active(facts.event.status)) {
        return;
    }
    judge_rows_behind_the_end(terms, facts, report);
    if (facts.event.status != EventStatus::PROCESSED) {
        return;
    }
    if (is_cancellation(facts.event.type)) {
        judge_cancel(plan, facts, earlier, report);
        judge_order_of_targets(facts, earlier, report);
    } else if (facts.moved_to_dlq) {
        judge_given_up(plan, facts, report);
    } else {
        judge_completed(plan, facts, report);
    }
}

} // namespace sagabox::core::audit
