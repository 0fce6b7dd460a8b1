#pragma once

#include "core/plan.hpp"
#include "simulate/report.hpp"
#include "simulate/samples.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sagabox::simulate {

struct Options {
    std::uint64_t seed = 1;            ///< of the stories with three troubles and more
    std::size_t most_stories = 40'000; ///< with two troubles; those with one are all played
    std::size_t random_stories = 500;
    std::vector<std::string> accepted; ///< `rule` or `rule:step`: wanted as it is
};

/// Plays an event type's fan-out against everything that may come of it, and says what its writer
/// may not have thought of.
///
/// First come the ways through the routes: every combination of the values at which the conditions
/// change their minds. On each different way then every trouble at every step and undo, every two
/// together as far as `most_stories` goes, and random stories with more. What is found is told by
/// the story with the fewest troubles. The same question always has the same answer.
///
/// Requires that the plan has steps for `event_type`.
[[nodiscard]] Report explore(const core::Plan& plan, std::string_view event_type,
                             const Samples& samples, const Options& options);

} // namespace sagabox::simulate
