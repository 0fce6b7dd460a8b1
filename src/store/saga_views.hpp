#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/ids.hpp"
#include "base/task.hpp"
#include "core/vocabulary.hpp"
#include "pg/connection.hpp"
#include "store/event_views.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sagabox::store {

/// The latest call of one step of a saga.
struct SagaStep {
    std::string destination; ///< without `.revert`
    core::Direction direction = core::Direction::forward;
    int fanout_order = 0;
    core::Outcome outcome = core::Outcome::skipped;
    std::optional<int> response_status;
    int attempts = 1; ///< calls of this step in this run
    std::optional<std::chrono::milliseconds> duration;
    DbTime published_at;
    std::string error;            ///< its beginning; empty where there is none
    std::optional<EventId> cause; ///< the `!X` on whose behalf the call was made
};

/// As much of an event's latest dead letter as a list shows.
struct SagaLetter {
    LetterId id;
    core::LetterStatus status = core::LetterStatus::PENDING;
    core::LetterReason reason = core::LetterReason::NON_RETRYABLE_ERROR;
    std::optional<DbTime> next_retry_at;
    std::string revert_error; ///< its beginning; empty where there is none
};

/// An event with how its steps stand: what a list of sagas draws. Without bodies.
struct SagaView {
    EventView event;
    std::vector<SagaStep> steps;
    std::optional<SagaLetter> letter;
};

struct Sagas {
    std::vector<SagaView> sagas; ///< newest first
    std::optional<DbTime> now;   ///< PostgreSQL's clock; nothing where there is no saga
};

/// Results of one event that are looked at; of one with more, the earliest are passed over.
inline constexpr std::int64_t most_results_of_a_saga = 300;

/// Those of the events that there are. Costs by the number of ids, not by that of events.
[[nodiscard]] Task<Result<Sagas>> load_sagas(pg::Connection& connection,
                                             std::vector<std::int64_t> events, Deadline deadline);

} // namespace sagabox::store
