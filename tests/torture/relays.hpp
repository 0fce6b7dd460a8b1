#pragma once

#include "tests/torture/dice.hpp"
#include "tests/torture/gate.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace sagabox::torture {

/// One place for a relay: its gate to PostgreSQL, its configuration file, its log, and the process
/// that is there now.
class Relay {
public:
    /// `config` lacks the database, which is reached through the gate.
    Relay(const std::filesystem::path& folder, int number, int database_port, std::string config);
    ~Relay();
    Relay(const Relay&) = delete;
    Relay& operator=(const Relay&) = delete;

    /// Starts the program, to die at this failpoint; at none where it is empty.
    void start(const std::string& failpoint);

    void signal(int number) const;

    /// How it ended, where it has since the last time: the exit code, or 128 + the signal.
    [[nodiscard]] std::optional<int> ended();

    [[nodiscard]] bool running() const { return pid_ > 0; }
    [[nodiscard]] const std::string& failpoint() const { return failpoint_; }
    [[nodiscard]] Gate& gate() { return gate_; }
    [[nodiscard]] const std::filesystem::path& config_file() const { return file_; }

    /// Appends to its configuration, without a word to the process.
    void configure(const std::string& more) const;

private:
    Gate gate_;
    std::filesystem::path file_;
    std::filesystem::path log_;
    std::string config_;
    std::string failpoint_;
    pid_t pid_ = -1;
};

} // namespace sagabox::torture
