#pragma once

#include "core/decide.hpp"

#include <optional>
#include <string>

namespace sagabox::core {

/// For whom and within what bounds steps are undone.
struct UndoErrand {
    const Event* sender = nullptr; ///< the event itself, or the `!X`
    int deaths = 0;                ///< of the letter or the `!X`: workers lost on this very errand
};

/// The next action that undoes what an event did, last success first (contract 5.8, 5.9); nothing
/// when all that can be undone is undone. Steps that may have taken effect, and whose revert needs
/// an answer that never came, are passed over and named in `unclear`, for a person to check.
[[nodiscard]] std::optional<Action> undo_next(const Plan& plan, const History& history,
                                              const UndoErrand& errand, DbTime now,
                                              std::string& unclear);

} // namespace sagabox::core
