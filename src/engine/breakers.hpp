#pragma once

#include "base/clock.hpp"
#include "core/mail.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sagabox::engine {

/// Which mail providers, or which destinations, are left out for now, as this worker knows it: from
/// its own tries, and from what other workers and relays have written to the database.
///
/// One that fails a number of times in a row by its own fault is left out for a while. When that is
/// over, one try shows whether it works again; who makes it is settled in the database.
class Breakers {
public:
    using LeftOut = std::vector<std::pair<std::string, DbTime>>;

    /// What the database says of all.
    void heard(const LeftOut& open, DbTime now);

    /// What it says of one: left out until then, or past it, so that a probe is due; or not at all.
    void heard_of(const std::string& name, std::optional<DbTime> open);

    /// Those to pass over.
    [[nodiscard]] LeftOut left_out(DbTime now) const;

    /// Whether one was left out and its time is over: only a probe may go to it.
    [[nodiscard]] bool needs_probe(const std::string& name) const;

    /// Another worker has the probe, or it was left out anew.
    void leave_out(const std::string& name, DbTime until);

    /// What is to be written down after a try, if anything.
    enum class Change : std::uint8_t { none, opens, closes };
    [[nodiscard]] Change tried(const std::string& name, core::Health health, int failures_to_open,
                               DbTime open_until);

    [[nodiscard]] int failures(const std::string& name) const;

private:
    struct State {
        int failures = 0;           ///< in a row
        std::optional<DbTime> open; ///< left out until then; past: a probe is due
    };
    std::map<std::string, State> states_;
};

} // namespace sagabox::engine
