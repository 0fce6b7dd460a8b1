#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sagabox::core {

// Enumerators are spelled as their database labels, so that one search finds code, SQL and docs.

/// `outbox_events.status`
enum class EventStatus : std::uint8_t { PENDING, PROCESSING, PROCESSED, FAILED, CANCELLED };

/// `dead_letter_events.status`; PROCESSED means compensated, FAILED that a person must look,
/// RESOLVED that one has.
enum class LetterStatus : std::uint8_t { PENDING, PROCESSING, PROCESSED, FAILED, RESOLVED };

/// `dead_letter_events.reason`
enum class LetterReason : std::uint8_t { MAX_RETRIES_EXCEEDED, NON_RETRYABLE_ERROR, POISONED };

/// `aggregate_results.outcome`
enum class Outcome : std::uint8_t {
    succeeded,
    rejected, ///< the peer said no, and will say so again
    failed,   ///< it had no effect as far as the answer tells, and may succeed later
    unknown,  ///< it was sent and may have taken effect: neither success nor failure
    skipped,  ///< no call was made: no route matched
};

/// Which way a step goes. A revert's destination is written `<destination>.revert`.
enum class Direction : std::uint8_t { forward, revert };

[[nodiscard]] std::string_view to_label(EventStatus);
[[nodiscard]] std::string_view to_label(LetterStatus);
[[nodiscard]] std::string_view to_label(LetterReason);
[[nodiscard]] std::string_view to_label(Outcome);

[[nodiscard]] std::optional<EventStatus> event_status(std::string_view label);
[[nodiscard]] std::optional<LetterStatus> letter_status(std::string_view label);
[[nodiscard]] std::optional<LetterReason> letter_reason(std::string_view label);
[[nodiscard]] std::optional<Outcome> outcome(std::string_view label);

} // namespace sagabox::core
