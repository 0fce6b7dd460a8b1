#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sagabox::torture {

/// What a run is told on its command line.
struct Options {
    int seconds = 60; ///< how long there are faults
    std::uint64_t seed = 1;
    int relays = 3;
    std::string folder; ///< where database and logs go, and stay; empty: a temporary one
};

extern const char* const usage;

/// None where an argument is not understood.
[[nodiscard]] std::optional<Options> options_of(int argc, char** argv);

} // namespace sagabox::torture
