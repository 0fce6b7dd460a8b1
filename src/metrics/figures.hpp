#pragma once

#include "engine/destination_watch.hpp"
#include "engine/survey.hpp"
#include "metrics/series.hpp"

#include <vector>

#include <prometheus/metric_family.h>

namespace sagabox::metrics {

/// The gauges that a survey of the database gives. Made anew for each page, so that what is gone
/// from the database is gone from the page.
[[nodiscard]] std::vector<prometheus::MetricFamily> figures(const engine::Survey& survey,
                                                            const Named& named);

/// How long each configured destination has brought nothing but failures; 0: it has not.
[[nodiscard]] prometheus::MetricFamily
failing_family(const std::vector<engine::DestinationWatch::Failing>& failing, const Named& named);

/// A gauge without labels.
[[nodiscard]] prometheus::MetricFamily single(const char* name, const char* help, double value);

} // namespace sagabox::metrics
