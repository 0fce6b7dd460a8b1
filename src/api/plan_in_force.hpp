#pragma once

#include "core/plan.hpp"

#include <memory>
#include <mutex>
#include <utility>

namespace sagabox::api {

/// The plan by which the API explains what it shows. Replaced whole by a reload. Thread-safe.
class PlanInForce {
public:
    explicit PlanInForce(std::shared_ptr<const core::Plan> plan) : plan_(std::move(plan)) {}

    [[nodiscard]] std::shared_ptr<const core::Plan> current() const
    {
        const std::lock_guard lock(mutex_);
        return plan_;
    }
    void replace(std::shared_ptr<const core::Plan> plan)
    {
        const std::lock_guard lock(mutex_);
        plan_ = std::move(plan);
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const core::Plan> plan_;
};

} // namespace sagabox::api
