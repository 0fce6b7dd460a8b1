#pragma once

#include "core/decide.hpp"
#include "core/memory.hpp"

#include <cstdint>
#include <optional>

namespace sagabox::core {

/// The forward run's next action (contract 5.3 to 5.7).
[[nodiscard]] Action decide_forward(const Plan& plan, const History& history, const Forward& errand,
                                    DbTime now);

/// A step of an event's fan-out that is neither done nor passed over, and the route it would take.
struct OpenStep {
    const Destination* destination = nullptr;
    int fanout_order = 0;
    int route = -1; ///< -1: no route's condition holds
};

/// The first open step, or nothing when all are done or there is no fan-out.
[[nodiscard]] std::optional<OpenStep> open_step(const Plan& plan, const Event& event,
                                                const Memory& memory);

/// Spreads retries of different steps within the jitter band, and the same retry to the same place.
[[nodiscard]] std::uint64_t jitter_seed(const Event& event, const StepResult& row, int attempts);

/// The pause that a failed call asks for: its answer's, else the backoff's.
[[nodiscard]] std::chrono::milliseconds pause_after(const Plan& plan, const Event& event,
                                                    const StepResult& row, int attempts);

} // namespace sagabox::core
