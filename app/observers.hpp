#pragma once

#include "config/settings.hpp"
#include "engine/destination_watch.hpp"
#include "engine/watcher.hpp"
#include "metrics/metrics.hpp"

namespace sagabox::app {

/// Everything that watches a relay. Outlives it, and the API that tells of it.
class Observers {
public:
    /// `teller` prints what happens, to the log or a terminal.
    Observers(const config::Settings& settings, engine::Watcher& teller);
    Observers(const Observers&) = delete;
    Observers& operator=(const Observers&) = delete;

    [[nodiscard]] engine::Watcher& watcher() { return all_; }
    [[nodiscard]] const metrics::Metrics& metrics() const { return metrics_; }
    [[nodiscard]] const engine::DestinationWatch& destinations() const { return destinations_; }

    void reload(const core::Plan& plan) { metrics_.reload(plan); }

private:
    engine::DestinationWatch destinations_;
    metrics::Metrics metrics_;
    engine::Watchers all_;
};

} // namespace sagabox::app
