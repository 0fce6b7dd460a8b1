#pragma once

#include "core/plan.hpp"

#include <memory>
#include <utility>

namespace sagabox::engine {

/// The plan in force for one worker. Replaced whole by a reload; a step under way keeps the one
/// that it began with. Belongs to the worker's thread.
class PlanSource {
public:
    explicit PlanSource(std::shared_ptr<const core::Plan> plan) : plan_(std::move(plan)) {}

    [[nodiscard]] const std::shared_ptr<const core::Plan>& current() const { return plan_; }
    void replace(std::shared_ptr<const core::Plan> plan) { plan_ = std::move(plan); }

private:
    std::shared_ptr<const core::Plan> plan_;
};

} // namespace sagabox::engine
