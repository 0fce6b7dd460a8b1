#pragma once

#include "app/once/judge.hpp"
#include "app/once/order.hpp"
#include "app/once/stage.hpp"
#include "base/fault.hpp"

#include <string_view>
#include <vector>

namespace sagabox::app::once {

/// One thing that Sagabox promises, played on an order of its own.
struct Scenario {
    std::string_view name;
    std::string_view watch; ///< what to look at in the rows, one sentence

    /// Places its order, does to it what the scenario is about, and waits for the end.
    Result<void> (*play)(Stage& stage);

    /// Holds against the evidence what the order must have become.
    Findings (*judge)(const Order& order, const Evidence& evidence);
};

[[nodiscard]] Scenario high_risk_order();
[[nodiscard]] Scenario low_risk_order();
[[nodiscard]] Scenario refused_payment();
[[nodiscard]] Scenario busy_service();
[[nodiscard]] Scenario answer_too_late();
[[nodiscard]] Scenario cancel_after_success();
[[nodiscard]] Scenario second_cancel();
[[nodiscard]] Scenario cancel_under_way();
[[nodiscard]] Scenario two_updates();

/// All of them, in the order in which they are played.
[[nodiscard]] std::vector<Scenario> scenarios();

/// What an order becomes of which every step succeeds: the beginning of most expectations.
[[nodiscard]] Expected confirmed(const Order& order);

} // namespace sagabox::app::once
