#pragma once

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "core/vocabulary.hpp"
#include "json/value.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sagabox::core {

/// An event as it stands in `outbox_events`.
struct Event {
    EventId id;
    std::string aggregate_id;
    std::string type;
    json::Value payloads;
    std::string uuid;
    std::string traceparent; ///< W3C Trace Context, as the application gave it; empty: none
    DbTime created_at;
    EventStatus status = EventStatus::PROCESSING;

    /// 1, and one more each time the event is run again after it was compensated.
    int run = 1;

    /// How often a lease on it expired since anything was written down for it. While it is not
    /// zero, the next step may have been called by a worker that did not live to say so.
    int deaths = 0;

    /// Retries so far of what it last waited for.
    int retry_count = 0;
};

/// A row of `aggregate_results`: one call and its answer, or a step passed over.
struct StepResult {
    ResultId id;      ///< 0 until it is written
    EventId event_id; ///< the forward event, for a revert too: what it undoes is that event's step
    EventId cause;    ///< on whose behalf: the event itself, or the `!X` that cancels it
    std::string destination; ///< without `.revert`
    Direction direction = Direction::forward;
    int fanout_order = 0;
    int route = 0; ///< index into the destination's routes at the time of the call
    int run = 1;
    int attempt = 1;

    Outcome outcome = Outcome::skipped;
    std::string endpoint_url; ///< without secrets
    std::string http_method;
    json::Value request; ///< the body sent
    std::optional<int> response_status;
    std::optional<json::Value> response;
    std::string error;
    std::chrono::milliseconds duration{0};
    DbTime published_at; ///< PostgreSQL's clock; until it is written, our estimate of it

    /// The pause that the answer asked for, already cut to the cap.
    std::optional<std::chrono::milliseconds> retry_after;

    /// Workers lost on this very step before this attempt. Each may have made the call.
    int interrupted = 0;

    /// Made before a person asked to try again: it tells what took effect, but no longer counts
    /// against the number of attempts.
    bool forgiven = false;
};

/// An event and everything written down about it, oldest first: the saga's memory.
struct History {
    Event event;
    std::vector<StepResult> results;
    std::optional<LetterStatus> letter; ///< of its dead letter, where it has one
};

/// The event is to be carried out.
struct Forward {
    bool cancel_waiting = false; ///< a `!X` of its aggregate waits for it to stop

    /// Mail providers that are left out for now, each until a moment: their breakers are open.
    std::vector<std::pair<std::string, DbTime>> left_out = {};
};

/// The event failed for good; its dead letter is to be compensated.
struct Compensation {
    LetterId letter;
    LetterReason reason = LetterReason::NON_RETRYABLE_ERROR;
    int deaths = 0;
    int retry_count = 0; ///< as `Event::retry_count`
};

/// The event is a `!X`: the steps of the aggregate's earlier `X` events are to be undone.
struct Cancellation {
    std::vector<History> targets; ///< oldest first
};

/// Why the saga is being worked on, and with what.
using Errand = std::variant<Forward, Compensation, Cancellation>;

/// What a worker holds under one lease.
struct Saga {
    History own;
    Errand errand;
};

/// Whether an event type asks for an undo (`!OrderCreated`), and of what.
[[nodiscard]] inline bool is_cancellation(std::string_view event_type)
{
    return event_type.size() > 1 && event_type.front() == '!';
}
[[nodiscard]] inline std::string_view cancelled_type(std::string_view event_type)
{
    return event_type.substr(1);
}

} // namespace sagabox::core
