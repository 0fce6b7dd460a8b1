#pragma once

#include "json/value.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sagabox::simulate {

enum class Weight : std::uint8_t {
    finding,  ///< the plan does not do what its writer will expect of it
    note,     ///< as it was built to be, and worth knowing
    accepted, ///< a finding that the user has said is wanted
};

/// Something that a story has shown.
struct Finding {
    std::string_view rule; ///< one of `rules`
    Weight weight = Weight::finding;
    std::string step; ///< the destination that it is about
    std::string what;
    std::string given; ///< what is sent or answered; empty: the usual
    std::vector<std::string> story;
    std::string_view cure;
};

struct Report {
    std::string event_type;
    std::vector<std::string> steps;
    std::size_t ways = 0;             ///< different choices of routes
    std::size_t stories = 0;          ///< played
    bool every_pair = true;           ///< each two troubles were tried together, on every way
    std::vector<std::string> assumed; ///< what the invented answers hold
    std::vector<Finding> findings;    ///< findings first, each weight with its shortest story first

    [[nodiscard]] std::size_t count(Weight weight) const;
};

/// Every rule's name.
inline constexpr std::string_view rules[] = {"no-undo",
                                             "undo-not-buildable",
                                             "call-not-buildable",
                                             "route-never-taken",
                                             "answer-missing",
                                             "value-gap",
                                             "passed-over",
                                             "unknown-needs-person",
                                             "unknown-not-undone",
                                             "cancel-leaves",
                                             "not-tried",
                                             "promise-broken"};

[[nodiscard]] std::string_view to_label(Weight weight);

/// For people; what is no finding is told without its story.
[[nodiscard]] std::string in_words(const Report& report);
[[nodiscard]] json::Value in_json(const Report& report);

} // namespace sagabox::simulate
