#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/ids.hpp"
#include "base/task.hpp"
#include "core/saga.hpp"
#include "pg/connection.hpp"
#include "store/letter_views.hpp"
#include "store/page.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sagabox::store {

/// What people see of events. Reading takes no lock that a relay waits for, and costs about the
/// same however many events there are.

/// An event as a list shows it: without its payloads.
struct EventView {
    EventId id;
    std::string aggregate_id;
    std::string type;
    core::EventStatus status = core::EventStatus::PENDING;
    DbTime created_at;
    DbTime status_changed_at;
    int retry_count = 0;
    std::optional<DbTime> next_retry_at;
    std::string last_error; ///< empty where there is none
    bool moved_to_dlq = false;
    int run = 1;
};

/// Which events; an empty field asks for nothing.
struct EventFilter {
    std::optional<core::EventStatus> status;
    std::string type;
    std::string aggregate_id;
    std::optional<std::int64_t> before; ///< only ids below it
    int limit = 50;                     ///< cut to 1 … `most_items_of_a_page`
};

[[nodiscard]] Task<Result<Page<EventView>>> list_events(pg::Connection& connection,
                                                        EventFilter filter, Deadline deadline);

/// An event with all that is known of it.
struct EventDetail {
    EventView event;
    std::string uuid;
    std::string idempotency_key; ///< empty where it has none
    std::string lease_owner;
    std::optional<DbTime> lease_expires_at;
    int deaths = 0;
    std::optional<std::int64_t> email; ///< its stored message, where it sends one
    DbTime now;                        ///< PostgreSQL's clock at the reading

    /// The event and its results, as `decide` sees them.
    core::History history;

    /// For a `!X`: the events that it undoes, with theirs.
    std::vector<core::History> targets;

    std::optional<LetterView> letter; ///< its latest
};

/// Nothing where there is no such event.
[[nodiscard]] Task<Result<std::optional<EventDetail>>> get_event(pg::Connection& connection,
                                                                 EventId event, Deadline deadline);

} // namespace sagabox::store
