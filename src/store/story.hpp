#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/ids.hpp"
#include "base/task.hpp"
#include "core/saga.hpp"
#include "pg/connection.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sagabox::store {

/// A row of `dead_letter_events`, as a person reads it.
struct LetterStory {
    LetterId id;
    core::LetterStatus status = core::LetterStatus::PENDING;
    core::LetterReason reason = core::LetterReason::NON_RETRYABLE_ERROR;
    std::string last_error;
    int retry_count = 0;
    std::string revert_error;
    int revert_retry_count = 0;
};

/// An event with everything that was done for it. The steps that it undid on another event's behalf
/// stand with that other event; `StepResult::cause` names who had them undone.
struct EventStory {
    core::Event event;
    std::string last_error;
    bool moved_to_dlq = false;
    std::vector<core::StepResult> results; ///< oldest first
    std::optional<LetterStory> letter;     ///< its latest
};

/// What happened to one business entity: its latest thousand events at most, oldest first.
using Story = std::vector<EventStory>;

/// Reads an aggregate's story; empty where nothing ever happened to it. The results are read after
/// the events, so those of an event that has ended are complete.
[[nodiscard]] Task<Result<Story>> read_story(pg::Connection& connection, std::string aggregate_id,
                                             Deadline deadline);

/// Whether nothing of it is left to do: no event waits or is worked on, and no letter either.
[[nodiscard]] bool has_ended(const Story& story);

} // namespace sagabox::store
