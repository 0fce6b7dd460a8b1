#pragma once

#include "core/plan.hpp"
#include "store/blockers.hpp"
#include "store/destinations.hpp"
#include "store/event_views.hpp"

#include <string>
#include <vector>

namespace sagabox::api {

class Forms;

/// An event, and what stands before it.
struct Holdup {
    store::EventDetail event;
    store::Blockers blockers;
};

/// Why an event has not come to its end yet, in sentences for a person, the most telling first; how
/// it ended where it has. `left_alone`: the destinations that are not called just now.
[[nodiscard]] std::vector<std::string>
reasons_of(const core::Plan& plan, const Forms& forms, const Holdup& holdup,
           const std::vector<store::ShutDestination>& left_alone);

} // namespace sagabox::api
