#pragma once

#include "core/saga.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace sagabox::core {

/// What the stored rows say about one step of one event.
struct StepMemory {
    /// The call whose effect stands: the last success that no revert has undone.
    const StepResult* done = nullptr;

    /// A call that may have taken effect although it is not known to have succeeded. Stays until
    /// the step succeeds or is undone, since a later refusal says nothing about an earlier call.
    const StepResult* maybe = nullptr;

    /// Where in the history `done`, else `maybe`, stands: undoing goes by this, last first.
    std::size_t position = 0;

    /// The run in which a revert last succeeded, with no forward call since; 0: none.
    int undone_in_run = 0;

    bool skipped = false;             ///< passed over in this run
    int attempts = 0;                 ///< forward calls that count against the retries
    const StepResult* last = nullptr; ///< the last of them, unless the step has succeeded since
    int revert_attempts = 0; ///< revert calls, on behalf of `cause`, since the step succeeded
    const StepResult* last_revert = nullptr;
};

/// The steps of a history by destination. `cause` is the event on whose behalf reverts are counted:
/// a cancel starts its own count where a compensation used its own up.
/// The pointers look into `history`, which must outlive the result.
using Memory = std::map<std::string_view, StepMemory>;
[[nodiscard]] Memory remember(const History& history, EventId cause);

} // namespace sagabox::core
