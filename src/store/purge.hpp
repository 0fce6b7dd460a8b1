#pragma once

#include "base/fault.hpp"
#include "base/ids.hpp"
#include "base/task.hpp"
#include "pg/connection.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace sagabox::store {

/// What one batch of a purge came to.
struct Purged {
    std::int64_t events = 0;
    std::int64_t results = 0;
    std::int64_t letters = 0;
    EventId last;      ///< where the next batch goes on
    bool over = false; ///< nothing behind it can be old enough
};

/// Deletes what ended at least `retention` ago among the next `rows` events after `above`, in one
/// transaction, with its results and letters. Age counts from the end, not from the creation.
///
/// Keeps events whose letter waits for a person or is at work, events of an aggregate that has
/// work to do, and events whose mail is still stored. Passes over rows that somebody has locked.
[[nodiscard]] Task<Result<Purged>> purge_events(pg::Connection& connection,
                                                std::chrono::milliseconds retention, EventId above,
                                                int rows, Deadline deadline);

/// How long what has ended is kept.
struct Kept {
    std::chrono::milliseconds events{0};
    std::optional<std::chrono::milliseconds> messages;        ///< none: no e-mail is configured
    std::optional<std::chrono::milliseconds> failed_messages; ///< none: until a person acts
};

/// One pass over everything that may be deleted, a batch at a time. Messages first: an event stays
/// for as long as its message does.
class PurgeSweep {
public:
    explicit PurgeSweep(Kept kept) : kept_(kept), at_events_(!kept.messages) {}

    [[nodiscard]] bool over() const { return last_.over; }
    [[nodiscard]] bool at_events() const { return at_events_; } ///< messages are done

    /// Deletes the next batch. After a fault the same batch may be tried again.
    [[nodiscard]] Task<Result<void>> next(pg::Connection& connection, Deadline deadline);

    struct Deleted {
        std::int64_t messages = 0;
        std::int64_t events = 0;
        std::int64_t results = 0;
        std::int64_t letters = 0;
    };
    [[nodiscard]] const Deleted& deleted() const { return deleted_; }

private:
    Kept kept_;
    bool at_events_;
    Purged last_;
    Deleted deleted_;
};

} // namespace sagabox::store
