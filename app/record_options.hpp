#pragma once

#include <cstdint>
#include <string>

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

// Each of them, and its exit code of exit_code.hpp.

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
