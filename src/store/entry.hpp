#pragma once

#include "core/saga.hpp"
#include "store/lease.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sagabox::store {

// How a claim ends. Each is one guarded change of status; contract 5.6 to 5.11.

/// PROCESSED: all is done. For a cancel, the letters of `undone` that a person would have looked at
/// close too.
struct Finished {
    std::vector<EventId> undone;
};
/// PENDING again, due after `delay` by PostgreSQL's clock.
struct Deferred {
    std::chrono::microseconds delay{0};
    int retry_count = 0;
    std::string why;
};
/// PROCESSED with a dead letter that is to be compensated.
struct GivenUp {
    core::LetterReason reason = core::LetterReason::NON_RETRYABLE_ERROR;
    std::string why;
    int retry_count = 0;
};
/// FAILED: the letter is a person's now; a cancel gets a letter of its own.
struct Failed {
    core::LetterReason reason = core::LetterReason::NON_RETRYABLE_ERROR;
    std::string why;
    int retry_count = 0;
};
/// CANCELLED: a cancel waited for it to stop.
struct Stopped {};
/// PENDING again at once, as if never claimed: the relay stops.
struct Released {};

using Settlement = std::variant<Finished, Deferred, GivenUp, Failed, Stopped, Released>;

/// What one saga hands to the journal at once: it takes effect whole or not at all.
struct Entry {
    Lease lease;
    EventId event; ///< the acting event: the row's cause
    std::string aggregate_id;
    std::string event_type; ///< the acting event's

    /// Calls made since the last entry. All belong to events of the type that `row_type` names.
    std::vector<core::StepResult> rows;
    std::string row_type;

    std::optional<Settlement> settlement; ///< none: the saga goes on

    /// SQL to be run in the same transaction, only if the settlement took effect; empty: none. Its
    /// named parameters are those of `core::bind_names`.
    std::string outcome_sql;
    std::string outcome_reason;

    bool had_deaths = false; ///< workers were lost on it: what is written now clears the count
};

/// What became of an entry.
struct Written {
    enum class State : std::uint8_t {
        written,
        lease_lost, ///< somebody else holds it now: nothing of the entry took effect
        refused,    ///< PostgreSQL refused the outcome SQL: nothing of the entry took effect
    };
    State state = State::written;
    bool cancel_waiting = false; ///< a cancel of the event waits for it to stop
    DbTime now;                  ///< PostgreSQL's clock at the write: the rows' `published_at`
    std::string refusal;
};

} // namespace sagabox::store
