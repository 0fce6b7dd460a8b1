#pragma once

#include "core/plan.hpp"
#include "store/blockers.hpp"
#include "store/destinations.hpp"
#include "store/event_views.hpp"

#include <string>
#include <vector>

namespace sagabox::api {

class Forms;

/// All that is known of why an event has not come to its end.
struct Holdup {
    store::EventDetail event;
    store::Blockers blockers;
    std::vector<store::ShutDestination> left_alone;
};

/// Why an event has not come to its end yet, in sentences for a person, the most telling first; how
/// it ended where it has.
[[nodiscard]] std::vector<std::string> reasons_of(const core::Plan& plan, const Forms& forms,
                                                  const Holdup& holdup);

} // namespace sagabox::api
