#pragma once

#include "core/plan.hpp"

#include <atomic>
#include <memory>
#include <utility>

namespace sagabox::engine {

/// The plan in force. Replaced whole by a reload; a step under way keeps the one that it began
/// with. Thread-safe.
class PlanSource {
public:
    explicit PlanSource(std::shared_ptr<const core::Plan> plan) : plan_(std::move(plan)) {}

    [[nodiscard]] std::shared_ptr<const core::Plan> current() const { return plan_.load(); }
    void replace(std::shared_ptr<const core::Plan> plan) { plan_.store(std::move(plan)); }

private:
    std::atomic<std::shared_ptr<const core::Plan>> plan_;
};

} // namespace sagabox::engine
