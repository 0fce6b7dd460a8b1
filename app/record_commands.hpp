#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace sagabox::app {

/// What the commands that show or change records were asked for.
struct RecordOptions {
    std::string file;
    bool json = false;
    bool all = false;
    std::int64_t id = 0;
    std::int64_t before = 0; ///< 0: from the newest on
    int limit = 50;
    std::string status;
    std::string type;
    std::string aggregate;
    std::string reason;
    std::string recipient;
    std::string correlation_id;
    std::string document_type;
    std::string note;
    std::string by;
    std::string older_than; ///< a duration; empty: the configured retention
    std::string target;     ///< an event's id, or an aggregate
};

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

int list_events(const RecordOptions& options);
int show_status(const RecordOptions& options);
int explain_why(const RecordOptions& options);
int purge(const RecordOptions& options);
int list_letters(const RecordOptions& options);
int show_letter(const RecordOptions& options);
int retry_letter(const RecordOptions& options);
int resolve_letter(const RecordOptions& options);
int list_emails(const RecordOptions& options);
int show_email(const RecordOptions& options);
int resend_emails(const RecordOptions& options);

} // namespace sagabox::app
