#pragma once

#include "base/fault.hpp"
#include "base/ids.hpp"
#include "base/task.hpp"
#include "core/audit.hpp"
#include "pg/connection.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sagabox::store {

/// A part of the tables, as an audit reads them.
struct AuditBatch {
    std::vector<core::audit::EventFacts> events; ///< oldest first
    std::vector<EventId>
        judged; ///< those of `events` that it is about; the others came before them
    DbTime now; ///< PostgreSQL's clock at the read
};

/// How far back into an aggregate's past an audit looks for what an event had to wait for, and for
/// what a cancel undid.
inline constexpr int most_earlier_events = 5;
inline constexpr int most_cancelled_events = 100;

/// The next events above an id, `rows` at most, with all that is stored about them; nothing is
/// judged where no event is left.
///
/// On a session with `default_transaction_isolation = repeatable read` all of it is read from one
/// snapshot.
[[nodiscard]] Task<Result<AuditBatch>> read_audit_batch(pg::Connection& connection, EventId above,
                                                        int rows, Deadline deadline);

/// What refers to events that do not exist.
struct Strays {
    std::vector<core::audit::Finding> found;
    std::int64_t last = 0;      ///< where the next look goes on
    std::int64_t looked_at = 0; ///< rows; fewer than asked for: this look was the last
};

enum class StrayKind : std::uint8_t { results, letters };

/// Looks at the next `rows` results or letters above an id, for those of events above `since`.
[[nodiscard]] Task<Result<Strays>> find_strays(pg::Connection& connection, StrayKind kind,
                                               std::int64_t above, int rows, EventId since,
                                               Deadline deadline);

} // namespace sagabox::store
