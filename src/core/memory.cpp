#include "core/memory.hpp"

namespace sagabox::core {

namespace {

void remember_forward(StepMemory& step, const StepResult& row, std::size_t position)
{
    if (row.outcome == Outcome::skipped) {
        step.skipped = step.skipped || !row.forgiven;
        return;
    }
    if (row.outcome == Outcome::succeeded) {
        step = StepMemory{};
        step.done = &row;
        step.position = position;
        return;
    }
    step.undone_in_run = 0;
    // A worker that was lost on this step may have made the call that this one then saw refused.
    if (row.outcome == Outcome::unknown || row.interrupted > 0) {
        step.maybe = &row;
        step.position = position;
    }
    if (!row.forgiven) {
        ++step.attempts;
        step.last = &row;
    }
}

void remember_revert(StepMemory& step, const StepResult& row, EventId cause)
{
    if (row.outcome == Outcome::succeeded) {
        step.done = nullptr;
        step.maybe = nullptr;
        step.undone_in_run = row.run;
    } else if (row.cause == cause && !row.forgiven) {
        ++step.revert_attempts;
        step.last_revert = &row;
    }
}

} // namespace

Memory remember(const History& history, EventId cause)
{
    Memory memory;
    for (std::size_t i = 0; i < history.results.size(); ++i) {
        const StepResult& row = history.results[i];
        StepMemory& step = memory[row.destination];
        if (row.direction == Direction::forward) {
            remember_forward(step, row, i);
        } else {
            remember_revert(step, row, cause);
        }
    }
    return memory;
}

} // namespace sagabox::core
