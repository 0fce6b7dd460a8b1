#pragma once

#include "app/record_options.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace sagabox::app {

/// The commands `events`, `dead-letters`, `emails`, `status`, `why` and `purge`: the API's
/// questions, for a terminal.
class RecordCommands {
public:
    explicit RecordCommands(CLI::App& program);

    /// Runs the one that was asked for; nothing where it was none of them.
    [[nodiscard]] std::optional<int> run() const;

private:
    using Command = int (*)(const RecordOptions&);
    CLI::App* add(CLI::App& parent, const char* name, const char* what, Command command);

    std::shared_ptr<RecordOptions> options_ = std::make_shared<RecordOptions>();
    std::vector<std::pair<CLI::App*, Command>> commands_;
};

} // namespace sagabox::app
