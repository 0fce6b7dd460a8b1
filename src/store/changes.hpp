#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/task.hpp"
#include "pg/connection.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace sagabox::store {

/// What came or changed between two looks.
struct Changed {
    std::set<std::int64_t> events;
    std::set<std::int64_t> letters;
    std::set<std::int64_t> emails; ///< messages of the events above
};

/// Notices what changes by looking again and again: new ids, new results, and the state of what was
/// still open. A hint for people who watch, not a log: a commit that comes late under a small id is
/// noticed with its first result, and of very many open events the latest are watched.
class Changes {
public:
    /// The first look finds nothing: what is there already has not changed.
    [[nodiscard]] Task<Result<Changed>> look(pg::Connection& connection, Deadline deadline);

private:
    [[nodiscard]] Task<Result<void>> begin(pg::Connection& connection, Deadline deadline);

    bool begun_ = false;
    std::int64_t last_event_ = 0;
    std::int64_t last_result_ = 0;
    std::int64_t last_letter_ = 0;
    std::map<std::int64_t, std::string> open_events_; ///< with the mark of their state
    std::map<std::int64_t, std::string> open_letters_;
};

} // namespace sagabox::store
