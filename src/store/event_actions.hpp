#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/ids.hpp"
#include "base/task.hpp"
#include "pg/connection.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sagabox::store {

/// What a person does about events and dead letters. Each is one guarded change: of two who ask at
/// once exactly one has done it, and the other is told that there was nothing to do.

/// What became of a wish to try an event again.
struct Retried {
    enum class How : std::uint8_t {
        due_now,   ///< it waited for a moment; its retries are counted anew
        run_again, ///< it had failed for good; what was undone is done anew, in another run
        undoing,   ///< a `!X` that had failed goes on
        covered,   ///< a `!X` that had failed; another one at work undoes the same, its letter is
                   ///< closed
        refused,   ///< its state does not allow it, or somebody was quicker
        unknown,   ///< there is no such event
    } how = How::refused;
    int run = 1;
};

/// `by`: who asks, kept with a letter that is closed by it.
[[nodiscard]] Task<Result<Retried>> retry_event(pg::Connection& connection, EventId event,
                                                std::string by, Deadline deadline);

/// A letter that was changed.
struct ChangedLetter {
    LetterId id;
    EventId event;
    std::string status;
};

/// Gives a letter back that waited for a person; nothing where there is no such letter, or it does
/// not wait for one.
[[nodiscard]] Task<Result<std::optional<ChangedLetter>>>
retry_letter(pg::Connection& connection, LetterId letter, Deadline deadline);

/// What a person says who closes a letter.
struct Closing {
    std::string note;
    std::string by; ///< empty: nobody said
};

/// Closes a letter that waited for a person; nothing as above.
[[nodiscard]] Task<Result<std::optional<ChangedLetter>>>
resolve_letter(pg::Connection& connection, LetterId letter, Closing closing, Deadline deadline);

} // namespace sagabox::store
