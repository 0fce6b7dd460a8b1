#pragma once

#include "testing/stub_server.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sagabox::testing {

/// The text of a configuration file, put together line by line, so that a test says only what it is
/// about.
///
/// Begins with what keeps tests quick: one worker, leases of 1 s, polls of 200 ms, backoff of 50
/// ms.
class Config {
public:
    explicit Config(const std::string& database_url);

    /// Any HOCON; what comes later wins.
    Config& with(std::string_view line);

    /// A destination at `/<name>` of the stub; where `revert` is asked for, it is undone by
    /// `DELETE /<name>/undo`, which needs nothing from the answer.
    enum class Revert : std::uint8_t { none, always };
    Config& route(const std::string& name, const StubServer& stub, Revert revert = Revert::none);

    Config& fanout(std::string_view type, const std::vector<std::string>& destinations);

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
};

/// The real program on a configuration file of its own. Ends with the object, by SIGKILL where it
/// has not ended before; and with the test, should that die.
class RelayProcess {
public:
    explicit RelayProcess(const Config& config, const std::string& command = "run");
    ~RelayProcess();
    RelayProcess(const RelayProcess&) = delete;
    RelayProcess& operator=(const RelayProcess&) = delete;

    [[nodiscard]] int pid() const;
    void signal(int number) const;

    /// SIGKILL, and waits for the end.
    void kill();

    /// The exit code, or 128 + the signal that ended it; none when it still runs after `timeout`.
    [[nodiscard]] std::optional<int> wait_exit(std::chrono::milliseconds timeout);

    /// Waits until what it has written contains `text`; false when it has ended or `timeout` has
    /// passed without it.
    [[nodiscard]] bool wait_for_log(std::string_view text, std::chrono::milliseconds timeout) const;

    /// `run` has migrated and its workers look for events.
    [[nodiscard]] bool wait_until_started() const;

    /// Everything that it has written so far, to both of its outputs.
    [[nodiscard]] std::string log() const;
    [[nodiscard]] std::size_t count_in_log(std::string_view text) const;

    /// Replaces its configuration file: for a reload.
    void rewrite_config(std::string_view text) const;

    [[nodiscard]] const std::filesystem::path& config_file() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace sagabox::testing
