#pragma once

#include "core/plan.hpp"
#include "core/saga.hpp"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

namespace sagabox::metrics {

/// A name as a label may hold it: bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string label_text(std::string_view name);

/// How a saga's claim ended for good. Spelled as the label.
enum class End : std::uint8_t { completed, gave_up, compensated, undone, cancelled, needs_person };
inline constexpr std::array<std::string_view, 6> end_labels{
    "completed", "gave_up", "compensated", "undone", "cancelled", "needs_person"};

inline constexpr std::array outcomes{core::Outcome::succeeded, core::Outcome::rejected,
                                     core::Outcome::failed, core::Outcome::unknown,
                                     core::Outcome::skipped};
inline constexpr std::array reasons{core::LetterReason::MAX_RETRIES_EXCEEDED,
                                    core::LetterReason::NON_RETRYABLE_ERROR,
                                    core::LetterReason::POISONED};

/// One destination in one direction.
struct StepSeries {
    std::array<prometheus::Counter*, outcomes.size()> by_outcome{};
    prometheus::Counter* retries = nullptr;
    prometheus::Histogram* seconds = nullptr;
};

struct DestinationSeries {
    StepSeries forward;
    StepSeries revert;
};

using EndSeries = std::array<prometheus::Counter*, end_labels.size()>;
using ProviderSeries = std::array<prometheus::Counter*, outcomes.size()>;

/// Where what happens to named things is counted, looked up by their names once a plan is known.
/// Never changed once made: a reload makes another.
struct Named {
    std::map<std::string, DestinationSeries, std::less<>> destinations;
    std::map<std::string, EndSeries, std::less<>> types; ///< `other` among them
    std::map<std::string, ProviderSeries, std::less<>> providers;

    /// The label for an event type: its own where the configuration names it.
    [[nodiscard]] std::string_view label_of(std::string_view type) const;
};

inline constexpr std::string_view other_types = "other";

/// The families of all series that this relay counts by itself.
class Families {
public:
    Families();

    [[nodiscard]] std::shared_ptr<const Named> named_by(const core::Plan& plan);

    prometheus::Registry registry;
    prometheus::Family<prometheus::Gauge>& build_info;
    prometheus::Counter& claims;
    prometheus::Counter& claim_failures;
    prometheus::Counter& leases_lost;
    prometheus::Counter& listen_reconnects;
    prometheus::Gauge& listening;
    prometheus::Counter& journal_results;
    prometheus::Histogram& flush_entries;
    prometheus::Histogram& flush_seconds;
    prometheus::Counter& surveys_failed;
    std::array<prometheus::Counter*, reasons.size()> letters_written{};
    std::array<prometheus::Counter*, 2> compensations{}; ///< compensated, needs_person

private:
    [[nodiscard]] StepSeries step_series(const std::string& destination,
                                         std::string_view direction);

    prometheus::Family<prometheus::Counter>& calls_;
    prometheus::Family<prometheus::Histogram>& call_seconds_;
    prometheus::Family<prometheus::Counter>& retries_;
    prometheus::Family<prometheus::Counter>& ends_;
    prometheus::Family<prometheus::Counter>& mail_;
};

} // namespace sagabox::metrics
