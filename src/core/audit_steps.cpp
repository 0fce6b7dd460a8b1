#include "core/audit_replay.hpp"
#include "core/audit_rules.hpp"
#include "core/mail.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace sagabox::core::audit {

namespace {

/// What the rows before a row say about its step, without a plan.
struct Trace {
    const StepResult* done = nullptr; ///< its success that no revert has undone
    bool maybe = false;               ///< a call that may have taken effect
    std::size_t position = 0;         ///< of `done`, else of that call
    int undone_in_run = 0;            ///< with no forward call since
};

/// Attempts are counted for each step, direction and cause.
using Count = std::tuple<std::string_view, Direction, EventId>;

class Steps {
public:
    Steps(const EventFacts& facts, const Terms& terms, Report& report)
        : facts_(facts), terms_(terms), bound_(forgiven_bound(facts)), report_(report)
    {
        for (const StepResult& row : facts.results) {
            if (row.direction == Direction::revert) {
                undoings_.insert({row.destination, row.run, row.cause});
            }
        }
    }

    void judge(std::size_t position);
    void remember(std::size_t position);

private:
    using Undoing = std::tuple<std::string_view, int, EventId>;

    void judge_forward(const StepResult& row);
    void judge_revert(const StepResult& row);
    void judge_attempt(const StepResult& row);

    const EventFacts& facts_;
    const Terms& terms_;
    ResultId bound_;
    Report& report_;
    std::map<std::string_view, Trace> traces_;
    std::map<Count, const StepResult*> last_;
    std::set<int> undone_runs_;  ///< something of them was undone so far
    std::set<Undoing> undoings_; ///< that the rows tell of, now or later
};

void Steps::judge(std::size_t position)
{
    const StepResult& row = facts_.results[position];
    const std::size_t found = report_.size();
    if (row.direction == Direction::forward) {
        judge_forward(row);
    } else {
        judge_revert(row);
    }
    // Several tries of mail, one for each provider, share an attempt.
    if (report_.size() == found && row.destination != mail_destination) {
        judge_attempt(row);
    }
}

void Steps::judge_forward(const StepResult& row)
{
    if (traces_[row.destination].done != nullptr) {
        const bool again = row.outcome == Outcome::succeeded;
        report_.finding(again ? rules::success_recorded_twice : rules::called_after_success,
                        step_text(row) + " came after the step had succeeded");
    } else if (undone_runs_.contains(row.run)) {
        report_.finding(rules::called_after_undoing,
                        step_text(row) + " came after undoing had begun");
    }
}

void Steps::judge_revert(const StepResult& row)
{
    const Trace& own = traces_[row.destination];
    if (own.undone_in_run == row.run) {
        report_.finding(rules::undone_twice, step_text(row) + " came after the step was undone");
        return;
    }
    if (own.done == nullptr && !own.maybe) {
        // The call that a lost worker may have made has no row. Of former runs nobody knows whether
        // there was one.
        if (row.run == facts_.event.run && facts_.event.deaths == 0) {
            report_.finding(rules::revert_of_nothing,
                            step_text(row) + " undoes a step that has never taken effect");
        }
        return;
    }
    for (const auto& [name, other] : traces_) {
        const bool stands = other.done != nullptr || other.maybe;
        if (stands && other.position > own.position &&
            undoings_.contains({name, row.run, row.cause})) {
            report_.finding(rules::reverts_out_of_order,
                            step_text(row) + " came before " + std::string(name) +
                                " was undone, which had been done later");
            return;
        }
    }
}

void Steps::judge_attempt(const StepResult& row)
{
    const auto known = last_.find({row.destination, row.direction, row.cause});
    const StepResult* before = known == last_.end() ? nullptr : known->second;
    const bool forgivable = before == nullptr || before->id <= bound_;
    const bool begins_anew = row.attempt == 1 && forgivable;
    if (!begins_anew && (before == nullptr || row.attempt != before->attempt + 1)) {
        report_.finding(rules::attempt_numbers_skip,
                        step_text(row) + " follows attempt " +
                            std::to_string(before == nullptr ? 0 : before->attempt));
        return;
    }
    if (forgivable || row.outcome == Outcome::skipped) {
        return;
    }
    if (before->outcome == Outcome::rejected) {
        report_.finding(rules::called_after_rejection, step_text(row) + " came after result " +
                                                           std::to_string(before->id.value) +
                                                           " had been rejected");
    } else if (before->retry_after && row.published_at + -row.duration + terms_.slack <
                                          before->published_at + *before->retry_after) {
        report_.finding(rules::called_before_its_pause,
                        step_text(row) +
                            " came before the pause was over that the answer of result " +
                            std::to_string(before->id.value) + " had asked for");
    }
}

void Steps::remember(std::size_t position)
{
    const StepResult& row = facts_.results[position];
    Trace& trace = traces_[row.destination];
    if (row.direction == Direction::revert) {
        undone_runs_.insert(row.run);
        if (row.outcome == Outcome::succeeded) {
            trace = {nullptr, false, 0, row.run};
        }
    } else if (row.outcome == Outcome::succeeded) {
        trace = {&row, false, position, 0};
        std::erase_if(last_, [&row](const auto& counted) {
            return std::get<0>(counted.first) == row.destination;
        });
        return;
    } else if (row.outcome != Outcome::skipped) {
        trace.undone_in_run = 0;
        if (row.outcome == Outcome::unknown || row.interrupted > 0) {
            trace.maybe = true;
            trace.position = position;
        }
    }
    if (row.outcome != Outcome::skipped) {
        last_[{row.destination, row.direction, row.cause}] = &row;
    }
}

} // namespace

void judge_steps(const Plan& plan, const Terms& terms, const EventFacts& facts, Report& report)
{
    Steps steps(facts, terms, report);
    Replay replay(plan, terms, facts);
    bool agrees = true;
    for (std::size_t i = 0; i < facts.results.size(); ++i) {
        const std::size_t found = report.size();
        steps.judge(i);
        const StepResult& row = facts.results[i];
        // After the first disagreement every later row would be one more.
        if (agrees && report.size() == found && row.destination != mail_destination) {
            if (const std::optional<Disagreement> other = replay.disagreement(row)) {
                report.by_plan(other->rule, true, other->what);
            }
        }
        agrees = agrees && report.size() == found;
        steps.remember(i);
        replay.remember(row);
    }
}

} // namespace sagabox::core::audit
