#pragma once

#include "core/plan.hpp"
#include "engine/destination_watch.hpp"
#include "engine/watcher.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace sagabox::metrics {

/// What one relay has done and how its outbox fares, in Prometheus' text format: contract section
/// 10, described in docs/metrics.md.
///
/// Labels hold names from the configuration and fixed codes, and nothing else: an event type that
/// no configuration names counts as `other`, so no event can make the number of series grow. Every
/// series is there from the start, at zero, so that a first failure shows as a rise.
///
/// Never asks the database: what only that knows comes from the last survey, and is left out once
/// it is too old to be true. Thread-safe.
class Metrics : public engine::Watcher {
public:
    /// `destinations` must outlive this.
    Metrics(std::shared_ptr<const core::Plan> plan, const std::string& version,
            std::chrono::milliseconds survey_interval,
            const engine::DestinationWatch& destinations);
    ~Metrics() override;

    /// Series for what a new plan names; those of the old one stay.
    void reload(const core::Plan& plan);

    /// The whole page.
    [[nodiscard]] std::string page() const;

    void step(const core::Saga& saga, const core::StepResult& row,
              const core::Action& next) override;
    void settled(const core::Saga& saga, const core::Action& last) override;
    void lease_lost(const core::Saga& saga) override;
    void claimed(std::size_t sagas) override;
    void claim_failed() override;
    void flushed(const store::Journal::Flushed& flush) override;
    void listen_began() override;
    void listen_lost() override;
    void surveyed(const Result<engine::Survey>& survey) override;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace sagabox::metrics
