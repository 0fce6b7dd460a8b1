#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace sagabox::app {

struct SimulateOptions {
    std::string file;
    std::string event_type;
    std::string answers; ///< file of samples; empty: everything is invented
    std::vector<std::string> accepted;
    std::uint64_t seed = 1;
    bool json = false;
};

/// The command `simulate`: plays a fan-out through the decisions that a relay would take, and
/// connects to nothing.
class SimulateCommand {
public:
    explicit SimulateCommand(CLI::App& program);
    SimulateCommand(const SimulateCommand&) = delete;
    SimulateCommand& operator=(const SimulateCommand&) = delete;

    /// Runs it where it was asked for.
    [[nodiscard]] std::optional<int> run() const;

private:
    CLI::App* command_;
    SimulateOptions options_;
};

} // namespace sagabox::app
