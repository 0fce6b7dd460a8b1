#pragma once

#include "core/plan.hpp"
#include "core/saga.hpp"
#include "json/value.hpp"

namespace sagabox::api {

/// What comes next for an event, why its calls went where they went, and how what it did would be
/// undone now:
/// `{"next": text, "routes": […], "undo": […], "undoStops": text or null}` (docs/openapi.json:
/// Explanation).
///
/// Answered by the plan in force, without calling: a route that was configured otherwise at the
/// time of its call is explained by what it says today.
[[nodiscard]] json::Value explanation_form(const core::Plan& plan, const core::History& history);

} // namespace sagabox::api
