#pragma once

#include <cstdint>
#include <string>

namespace sagabox::app {

// Each command: what `sagabox NAME --help` says, and an exit code of exit_code.hpp.

/// Validates a configuration without connecting to anything.
int check(const std::string& file, bool as_json);

/// Brings the database's schema up to this program's version.
int migrate(const std::string& file, bool as_json);

/// Runs the relay until it is told to stop.
int run(const std::string& file);

/// Says what would be called next for an event, and how it would be undone, without calling.
int explain(const std::string& file, std::int64_t event, bool as_json);

/// Asks for the undoing of what an event did.
int cancel(const std::string& file, std::int64_t event, bool as_json);

struct AuditOptions {
    bool json = false;
    std::int64_t since = 1; ///< the first event to be looked at
    std::int64_t limit = 0; ///< stop after so many findings and notes; 0: never
};

/// Holds the whole database against the rules, and prints each disagreement.
int audit(const std::string& file, const AuditOptions& options);

struct DemoOptions {
    int port = 9000;
    std::string data; ///< empty: the default folder, or with `once` a fresh one, removed at the end
    bool once = false;
};

/// Everything in one process: database, relay, shop, simulated services, page.
int demo(const DemoOptions& options);

} // namespace sagabox::app
