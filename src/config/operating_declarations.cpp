#include "config/operating_declarations.hpp"
#include "config/spans.hpp"

namespace sagabox::config {

namespace {

using namespace spans;

constexpr Setting health_settings[] = {
    {"maxAge", Kind::duration, "15 minutes",
     "`/readyz` is red while an event that could be taken has waited longer than this", 1,
     30 * day},
    {"destinationDownAfter", Kind::duration, "5 minutes",
     "`/readyz` is red once a destination has brought nothing but failures for so long", 1, day},
    {"stuckAfter", Kind::duration, "30 seconds",
     "`/healthz` is red once a worker's event loop has stood still for so long", 2 * second, hour},
};

constexpr Setting metrics_settings[] = {
    {"surveyInterval", Kind::duration, "15 seconds",
     "How often the database is asked for the figures that only it knows", 100, hour},
};

} // namespace

const Section health_section{"health", "What `/readyz` and `/healthz` judge by.", health_settings};
const Section metrics_section{"metrics", "What `/metrics` tells.", metrics_settings};

} // namespace sagabox::config
