#pragma once

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "core/plan.hpp"
#include "core/saga.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Holds stored rows against the rules by which they must have come about.
///
/// What `decide` says of the rows before a row must be the call that the row tells of; what it says
/// of all of them must fit how the event ended. Where several pasts could have led to the same rows
/// (a person forgave attempts, and only the last time of that is known), any of them will do, and
/// times are judged with slack: a finding is a disagreement that nothing explains.
///
/// The configuration of the day is not stored. What only today's plan contradicts is a finding
/// where the plan is known to be as old as the event, else a note.
namespace sagabox::core::audit {

enum class Weight : std::uint8_t {
    finding,
    note, ///< today's plan says otherwise, and may have changed since
};

/// One disagreement.
struct Finding {
    std::string_view rule; ///< its name, fixed: to be searched for
    Weight weight = Weight::finding;
    EventId event;
    std::string aggregate_id;
    std::string what;
    std::string_view cure;
};

/// The lease columns of an event or a letter.
struct LeaseFacts {
    bool owned = false;
    std::optional<DbTime> expires_at;
};

/// A row of `dead_letter_events`.
struct LetterFacts {
    LetterId id;
    LetterStatus status = LetterStatus::PENDING;
    LetterReason reason = LetterReason::NON_RETRYABLE_ERROR;
    DbTime status_changed_at;
    LeaseFacts lease;
    bool has_retry_time = false;
    ResultId forgiven_up_to;
};

/// Everything that is stored about one event.
struct EventFacts {
    Event event;
    DbTime status_changed_at;
    bool moved_to_dlq = false;
    LeaseFacts lease;
    bool has_retry_time = false;
    bool key_taken_twice = false; ///< another active event has its idempotency key
    ResultId forgiven_up_to;
    std::vector<StepResult> results;   ///< oldest first
    std::vector<ResultId> mislabelled; ///< of them, those whose `success` denies their `outcome`
    std::vector<LetterFacts> letters;  ///< oldest first
};

/// What the judgement depends on besides the rows.
struct Terms {
    bool in_order = true; ///< `outbox.ordering = aggregate`
    /// The plan is known to be what it is since then.
    DbTime plan_since;
    /// Rows carry the time of their commit, not that of their call.
    std::chrono::microseconds slack = std::chrono::seconds(1);
    /// Between a claim and its first call no more than this passes.
    std::chrono::microseconds longest_claim = std::chrono::minutes(1);
    /// An expired lease is taken over soon where any relay runs.
    std::chrono::microseconds lease_patience = std::chrono::minutes(10);
};

/// What is wrong with one event. `earlier` are events of its aggregate with smaller ids, oldest
/// first, as many of the latest as are to be looked at: what a `!X` undid is among them.
[[nodiscard]] std::vector<Finding> audit(const Plan& plan, const Terms& terms,
                                         const EventFacts& facts,
                                         std::span<const EventFacts* const> earlier, DbTime now);

/// A row that tells of an event that does not exist.
[[nodiscard]] Finding result_without_event(EventId event, std::string aggregate_id,
                                           std::int64_t results);
[[nodiscard]] Finding letter_without_event(LetterId letter, EventId event,
                                           std::string aggregate_id);

} // namespace sagabox::core::audit
