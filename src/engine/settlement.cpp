#include "engine/settlement.hpp"

#include <algorithm>
#include <chrono>

namespace sagabox::engine {

std::optional<store::Settlement> settlement_for(const core::Action& action, const core::Saga& saga,
                                                DbTime now)
{
    if (std::holds_alternative<core::Finish>(action)) {
        store::Finished finished;
        if (const auto* cancellation = std::get_if<core::Cancellation>(&saga.errand)) {
            for (const core::History& target : cancellation->targets) {
                finished.undone.push_back(target.event.id);
            }
        }
        return finished;
    }
    if (const auto* wait = std::get_if<core::Wait>(&action)) {
        return store::Deferred{std::max(wait->until - now, std::chrono::microseconds{0}),
                               wait->retry_count, wait->why};
    }
    if (const auto* give_up = std::get_if<core::GiveUp>(&action)) {
        return store::GivenUp{give_up->reason, give_up->why, give_up->retry_count};
    }
    if (const auto* person = std::get_if<core::NeedsPerson>(&action)) {
        return store::Failed{person->reason, person->why, person->retry_count};
    }
    if (std::holds_alternative<core::StopForCancel>(action)) {
        return store::Stopped{};
    }
    return std::nullopt;
}

std::string outcome_sql_for(const core::Action& action, const core::Saga& saga,
                            const core::Plan& plan)
{
    const auto outcomes = plan.outcomes.find(saga.own.event.type);
    if (outcomes == plan.outcomes.end()) {
        return {};
    }
    const bool letter = std::holds_alternative<core::Compensation>(saga.errand);
    if (std::holds_alternative<core::Finish>(action)) {
        return letter ? outcomes->second.compensated : outcomes->second.completed;
    }
    if (std::holds_alternative<core::NeedsPerson>(action)) {
        return outcomes->second.failed;
    }
    return {};
}

} // namespace sagabox::engine
