#include "metrics/metrics.hpp"

#include "core/mail.hpp"
#include "metrics/figures.hpp"
#include "metrics/series.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

#include <prometheus/text_serializer.h>

namespace sagabox::metrics {

namespace {

/// After so many intervals without an answer the last survey is no longer told: alerts on its
/// figures must outlive one survey that failed, and figures that are not true any more must go.
constexpr int surveys_to_miss = 4;

template <class Array, class Value>
std::size_t index_in(const Array& array, const Value& value)
{
    return static_cast<std::size_t>(std::find(array.begin(), array.end(), value) - array.begin());
}

double seconds(auto duration)
{
    return std::chrono::duration<double>(duration).count();
}

/// Nothing for a claim that ended without an end of its saga.
std::optional<End> end_of(const core::Saga& saga, const core::Action& last)
{
    const bool letter = std::holds_alternative<core::Compensation>(saga.errand);
    const bool cancel = std::holds_alternative<core::Cancellation>(saga.errand);
    if (std::holds_alternative<core::Finish>(last)) {
        return letter ? End::compensated : (cancel ? End::undone : End::completed);
    }
    if (std::holds_alternative<core::GiveUp>(last)) {
        return End::gave_up;
    }
    if (std::holds_alternative<core::NeedsPerson>(last)) {
        return End::needs_person;
    }
    if (std::holds_alternative<core::StopForCancel>(last)) {
        return End::cancelled;
    }
    return std::nullopt;
}

} // namespace

struct Metrics::State {
    Families families;
    std::chrono::milliseconds memory{0};
    const engine::DestinationWatch* destinations = nullptr;
    std::atomic<bool> ever_listened{false};

    mutable std::mutex mutex; ///< of what follows; held for a copy of a pointer
    std::shared_ptr<const Named> named;
    std::shared_ptr<const engine::Survey> survey;
    std::optional<Instant> surveyed_at; ///< none: never yet
    Instant started_at = std::chrono::steady_clock::now();

    [[nodiscard]] std::shared_ptr<const Named> names() const
    {
        const std::lock_guard lock(mutex);
        return named;
    }
};

Metrics::Metrics(std::shared_ptr<const core::Plan> plan, const std::string& version,
                 std::chrono::milliseconds survey_interval,
                 const engine::DestinationWatch& destinations)
    : state_(std::make_unique<State>())
{
    state_->memory = survey_interval * surveys_to_miss;
    state_->destinations = &destinations;
    state_->families.build_info.Add({{"version", version}}).Set(1);
    reload(*plan);
}

Metrics::~Metrics() = default;

void Metrics::reload(const core::Plan& plan)
{
    std::shared_ptr<const Named> named = state_->families.named_by(plan);
    const std::lock_guard lock(state_->mutex);
    state_->named = std::move(named);
}

void Metrics::step(const core::Saga&, const core::StepResult& row, const core::Action& next)
{
    const std::shared_ptr<const Named> named = state_->names();
    const std::size_t outcome = index_in(outcomes, row.outcome);
    const auto found = named->destinations.find(row.destination);
    if (found == named->destinations.end() || outcome == outcomes.size()) {
        return; // a reload took it away while the call was under way
    }
    const bool forward = row.direction == core::Direction::forward;
    const StepSeries& series = forward ? found->second.forward : found->second.revert;
    series.by_outcome[outcome]->Increment();
    if (row.outcome != core::Outcome::skipped) {
        series.seconds->Observe(seconds(row.duration));
    }
    if (std::holds_alternative<core::Wait>(next)) {
        series.retries->Increment();
    }
    const json::Value* const provider = row.request.find("provider");
    if (row.destination == core::mail_destination && provider != nullptr &&
        provider->as_string() != nullptr) {
        const auto sender = named->providers.find(*provider->as_string());
        if (sender != named->providers.end()) {
            sender->second[outcome]->Increment();
        }
    }
}

void Metrics::settled(const core::Saga& saga, const core::Action& last)
{
    const std::optional<End> end = end_of(saga, last);
    if (!end) {
        return;
    }
    const std::shared_ptr<const Named> named = state_->names();
    const auto type = named->types.find(named->label_of(saga.own.event.type));
    type->second[static_cast<std::size_t>(*end)]->Increment();
    if (std::holds_alternative<core::Compensation>(saga.errand)) {
        state_->families.compensations[*end == End::compensated ? 0 : 1]->Increment();
    }
    // A cancel that nobody can carry out leaves a letter as well, which is never compensated.
    const auto* const gave_up = std::get_if<core::GiveUp>(&last);
    const auto* const person = std::get_if<core::NeedsPerson>(&last);
    if (gave_up != nullptr) {
        state_->families.letters_written[index_in(reasons, gave_up->reason)]->Increment();
    } else if (person != nullptr && !std::holds_alternative<core::Compensation>(saga.errand)) {
        state_->families.letters_written[index_in(reasons, person->reason)]->Increment();
    }
}

void Metrics::lease_lost(const core::Saga&)
{
    state_->families.leases_lost.Increment();
}

void Metrics::claimed(std::size_t sagas)
{
    state_->families.claims.Increment(static_cast<double>(sagas));
}

void Metrics::claim_failed()
{
    state_->families.claim_failures.Increment();
}

void Metrics::flushed(const store::Journal::Flushed& flush)
{
    state_->families.flush_entries.Observe(static_cast<double>(flush.entries));
    state_->families.flush_seconds.Observe(seconds(flush.time));
    state_->families.journal_results.Increment(static_cast<double>(flush.rows));
}

void Metrics::listen_began()
{
    state_->families.listening.Set(1);
    if (state_->ever_listened.exchange(true)) {
        state_->families.listen_reconnects.Increment();
    }
}

void Metrics::listen_lost()
{
    state_->families.listening.Set(0);
}

void Metrics::surveyed(const Result<engine::Survey>& survey)
{
    if (!survey) {
        state_->families.surveys_failed.Increment();
        return;
    }
    auto fresh = std::make_shared<const engine::Survey>(*survey);
    const std::lock_guard lock(state_->mutex);
    state_->survey = std::move(fresh);
    state_->surveyed_at = std::chrono::steady_clock::now();
}

std::string Metrics::page() const
{
    std::shared_ptr<const Named> named;
    std::shared_ptr<const engine::Survey> survey;
    Instant at;
    {
        const std::lock_guard lock(state_->mutex);
        named = state_->named;
        survey = state_->survey;
        at = state_->surveyed_at.value_or(state_->started_at);
    }
    const Instant now = std::chrono::steady_clock::now();
    std::vector<prometheus::MetricFamily> families = state_->families.registry.Collect();
    families.push_back(failing_family(state_->destinations->failing(now), *named));
    families.push_back(single("sagabox_survey_age_seconds",
                              "Since the database last told how the outbox fares; before it ever "
                              "did, since the start.",
                              seconds(now - at)));
    if (survey && now - at <= state_->memory) {
        for (prometheus::MetricFamily& one : figures(*survey, *named)) {
            families.push_back(std::move(one));
        }
    }
    return prometheus::TextSerializer().Serialize(families);
}

} // namespace sagabox::metrics
