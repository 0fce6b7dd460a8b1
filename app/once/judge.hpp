#pragma once

#include "app/once/evidence.hpp"
#include "app/once/expected.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sagabox::app::once {

/// What is not as it must be, a line each: what was looked at, what was expected, what is there.
class Findings {
public:
    void add(std::string line) { lines_.push_back(std::move(line)); }

    template <class Wanted, class Found>
    void compare(const std::string& what, const Wanted& wanted, const Found& found)
    {
        if (!(wanted == found)) {
            add(fmt::format("{}: expected {}, there is {}", what, wanted, found));
        }
    }

    [[nodiscard]] bool empty() const { return lines_.empty(); }
    [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

private:
    std::vector<std::string> lines_;
};

/// Holds an order's end against how it must have ended.
///
/// By the database: the order, its events and letters, and each call's row, in order, with nothing
/// missing and nothing more. By the simulators' ledger, which the relay cannot write to: as many
/// arrivals of each key as there must be rows, no other key, the same body each time, an effect
/// exactly where a call succeeded, effects in the calls' order, and what stands in the end.
[[nodiscard]] Findings judge(const Expected& expected, const Evidence& evidence);

/// The row of that destination and attempt; null where there is none.
[[nodiscard]] const core::StepResult* find_row(const Evidence& evidence,
                                               std::string_view destination,
                                               core::Direction direction, int attempt);

/// The key under which an event's step must have been called.
[[nodiscard]] std::string key_of(const store::EventStory& event, std::string_view destination,
                                 core::Direction direction);

} // namespace sagabox::app::once
