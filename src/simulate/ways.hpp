#pragma once

#include "core/plan.hpp"
#include "simulate/story.hpp"
#include "simulate/variables.hpp"
#include "simulate/world.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sagabox::simulate {

using Steps = std::vector<const core::Destination*>;

/// A case, and how an event fares in it while nothing goes wrong.
struct Way {
    Case chosen;
    std::vector<int> routes;
    std::vector<std::string> lines;
};

/// The ways through an event's routes.
struct Ways {
    std::vector<Way> cases;     ///< all that were tried, the usual values first
    std::vector<Way> different; ///< one for each different choice of routes; most steps first
};

[[nodiscard]] Ways find_ways(const core::Plan& plan, std::string_view event_type,
                             const Steps& steps, const Samples& samples,
                             const std::vector<Variable>& variables);

/// In what a case differs from the usual, for people.
[[nodiscard]] std::string given_words(const std::vector<Variable>& variables, const Case& chosen);

/// How many variables have another value than the usual one.
[[nodiscard]] std::size_t unusual(const Case& chosen);

} // namespace sagabox::simulate
