#include "core/vocabulary.hpp"

#include <array>
#include <cstddef>

namespace sagabox::core {
namespace {

// One table per enumeration, in the order of its enumerators, read in both directions.
constexpr std::array<std::string_view, 5> event_labels{"PENDING", "PROCESSING", "PROCESSED",
                                                       "FAILED", "CANCELLED"};
constexpr std::array<std::string_view, 5> letter_labels{"PENDING", "PROCESSING", "PROCESSED",
                                                        "FAILED", "RESOLVED"};
constexpr std::array<std::string_view, 3> reason_labels{"MAX_RETRIES_EXCEEDED",
                                                        "NON_RETRYABLE_ERROR", "POISONED"};
constexpr std::array<std::string_view, 5> outcome_labels{"succeeded", "rejected", "failed",
                                                         "unknown", "skipped"};

template <class Enum, std::size_t N>
std::optional<Enum> find(const std::array<std::string_view, N>& labels, std::string_view label)
{
    for (std::size_t i = 0; i < N; ++i) {
        if (labels[i] == label) {
            return static_cast<Enum>(i);
        }
    }
    return std::nullopt;
}

} // namespace

std::string_view to_label(EventStatus status)
{
    return event_labels.at(static_cast<std::size_t>(status));
}

std::string_view to_label(LetterStatus status)
{
    return letter_labels.at(static_cast<std::size_t>(status));
}

std::string_view to_label(LetterReason reason)
{
    return reason_labels.at(static_cast<std::size_t>(reason));
}

std::string_view to_label(Outcome outcome)
{
    return outcome_labels.at(static_cast<std::size_t>(outcome));
}

std::optional<EventStatus> event_status(std::string_view label)
{
    return find<EventStatus>(event_labels, label);
}

std::optional<LetterStatus> letter_status(std::string_view label)
{
    return find<LetterStatus>(letter_labels, label);
}

std::optional<LetterReason> letter_reason(std::string_view label)
{
    return find<LetterReason>(reason_labels, label);
}

std::optional<Outcome> outcome(std::string_view label)
{
    return find<Outcome>(outcome_labels, label);
}

} // namespace sagabox::core
