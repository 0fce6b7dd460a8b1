#include "core/audit.hpp"

#include "core/audit_rules.hpp"

#include <algorithm>

namespace sagabox::core::audit {

ResultId forgiven_bound(const EventFacts& facts)
{
    ResultId bound = facts.forgiven_up_to;
    for (const LetterFacts& letter : facts.letters) {
        bound = std::max(bound, letter.forgiven_up_to);
    }
    return bound;
}

std::string step_text(const StepResult& row)
{
    return "step " + row.destination + (row.direction == Direction::revert ? ".revert" : "") +
           ", attempt " + std::to_string(row.attempt) + " (result " + std::to_string(row.id.value) +
           ")";
}

std::vector<Finding> audit(const Plan& plan, const Terms& terms, const EventFacts& facts,
                           std::span<const EventFacts* const> earlier, DbTime now)
{
    Report report(terms, facts);
    judge_columns(terms, facts, now, report);
    judge_steps(plan, terms, facts, report);
    judge_end(plan, terms, facts, earlier, report);
    judge_order(terms, facts, earlier, report);
    return report.take();
}

Finding result_without_event(EventId event, std::string aggregate_id, std::int64_t results)
{
    return {rules::result_without_event.name,
            Weight::finding,
            event,
            std::move(aggregate_id),
            std::to_string(results) + " result(s) of an event that does not exist",
            rules::result_without_event.cure};
}

Finding letter_without_event(LetterId letter, EventId event, std::string aggregate_id)
{
    return {rules::letter_without_event.name,
            Weight::finding,
            event,
            std::move(aggregate_id),
            "letter " + std::to_string(letter.value) + " is of an event that does not exist",
            rules::letter_without_event.cure};
}

} // namespace sagabox::core::audit
