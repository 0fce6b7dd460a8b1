#include "app/observers.hpp"

namespace sagabox::app {

Observers::Observers(const config::Settings& settings, engine::Watcher& teller)
    // Between two retries nothing is heard of a destination that is down.
    : destinations_(settings.health.destination_down_after + settings.plan->backoff.max),
      metrics_(settings.plan, SAGABOX_VERSION, settings.metrics.survey_interval, destinations_),
      all_({&teller, &destinations_, &metrics_})
{
}

} // namespace sagabox::app
