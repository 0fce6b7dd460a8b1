#pragma once

#include "base/fault.hpp"
#include "base/ids.hpp"
#include "base/task.hpp"
#include "core/vocabulary.hpp"
#include "pg/connection.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sagabox::store {

/// What stands before an event, besides its own retries.
struct Blockers {
    struct Before {
        EventId id;
        std::string type;
        std::string status;
    };
    struct LetterBefore {
        LetterId id;
        EventId event;
        std::string status;
    };
    std::optional<Before> event;        ///< of the same aggregate, and must end first
    std::optional<LetterBefore> letter; ///< of the same aggregate, and must be undone first

    /// Workers of relays that are connected, as far as our role may see other sessions.
    std::int64_t workers = 0;
};

/// `ordered`: events of an aggregate are carried out one after the other. Nothing where there is no
/// such event.
[[nodiscard]] Task<Result<std::optional<Blockers>>>
find_blockers(pg::Connection& connection, EventId event, bool ordered, Deadline deadline);

} // namespace sagabox::store
