#include "core/plan.hpp"

namespace sagabox::core {

std::optional<std::vector<const Destination*>> Plan::steps_of(std::string_view event_type) const
{
    const auto fanout = fanouts.find(event_type);
    if (fanout == fanouts.end()) {
        if (const Destination* own = destination(event_type)) {
            return std::vector<const Destination*>{own};
        }
        return std::nullopt;
    }

    std::vector<const Destination*> steps;
    steps.reserve(fanout->second.size());
    for (const std::string& name : fanout->second) {
        const Destination* step = destination(name);
        if (step == nullptr) {
            // Going on without it would complete a saga that has a step missing.
            return std::nullopt;
        }
        steps.push_back(step);
    }
    return steps;
}

const Destination* Plan::destination(std::string_view name) const
{
    const auto found = destinations.find(name);
    return found == destinations.end() ? nullptr : &found->second;
}

} // namespace sagabox::core
