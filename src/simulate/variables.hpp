#pragma once

#include "core/plan.hpp"
#include "simulate/samples.hpp"
#include "json/path.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sagabox::simulate {

/// One value that a variable may have.
struct Candidate {
    enum class Kind : std::uint8_t {
        sample,  ///< what the sample says
        value,   ///< `value`
        missing, ///< the path selects nothing
    };
    Kind kind = Kind::value;
    json::Value value;
};

/// A place in a request or an answer that some route's condition looks at.
struct Variable {
    std::string destination; ///< whose request or answer it is
    core::Source source = core::Source::request;
    const json::Path* path = nullptr;  ///< of the plan
    std::vector<Candidate> candidates; ///< never empty; the first is the usual one
    bool free = true; ///< false: no document can be made for the path, so only the sample counts

    /// `fraudCheck's answer`, `shipping's request`
    [[nodiscard]] std::string document() const;

    /// `without $.x`, `with $.x = 50`; empty for the sample.
    [[nodiscard]] std::string words(const Candidate& candidate) const;
};

/// The values at which a path's conditions change their minds, derived from the conditions
/// themselves: each value that they name, as number and as text, right below and right above it,
/// another one, none at all, and one of the wrong type.
///
/// Complete: two values between which no condition on the path can tell have one candidate that
/// stands for both.
[[nodiscard]] std::vector<Candidate>
interesting_values(const std::vector<const core::Condition*>& conditions);

/// The variables of an event's fan-out, in the order of its steps.
[[nodiscard]] std::vector<Variable> variables_of(const std::vector<const core::Destination*>& steps,
                                                 const Samples& samples);

/// Which of `variables` a condition of `destination` looks at; nothing where it is none of them.
[[nodiscard]] std::optional<std::size_t> variable_of(const std::vector<Variable>& variables,
                                                     std::string_view destination,
                                                     const core::Condition& condition);

} // namespace sagabox::simulate
