#include "metrics/figures.hpp"

#include "core/vocabulary.hpp"

#include <map>
#include <string>
#include <utility>

namespace sagabox::metrics {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using Pair = std::pair<std::string, std::string>;

MetricFamily family(const char* name, const char* help)
{
    return {name, help, prometheus::MetricType::Gauge, {}};
}

ClientMetric sample(std::vector<ClientMetric::Label> labels, double value)
{
    ClientMetric metric;
    metric.label = std::move(labels);
    metric.gauge.value = value;
    return metric;
}

MetricFamily events(const store::Counts& active, const Named& named)
{
    std::map<Pair, std::int64_t> sums;
    for (const char* status : {"PENDING", "PROCESSING"}) {
        for (const auto& [type, series] : named.types) {
            sums[{status, label_text(type)}] = 0;
        }
    }
    for (const store::Count& count : active.counts) {
        sums[{count.status, label_text(named.label_of(count.of))}] += count.count;
    }
    MetricFamily out = family("sagabox_events", "Events that have not ended, by status and type.");
    for (const auto& [of, count] : sums) {
        out.metric.push_back(
            sample({{"status", of.first}, {"type", of.second}}, static_cast<double>(count)));
    }
    return out;
}

MetricFamily letters(const store::Counts& counted)
{
    std::map<Pair, std::int64_t> sums;
    for (const core::LetterReason reason : reasons) {
        for (const core::LetterStatus status :
             {core::LetterStatus::PENDING, core::LetterStatus::PROCESSING,
              core::LetterStatus::PROCESSED, core::LetterStatus::FAILED,
              core::LetterStatus::RESOLVED}) {
            sums[{std::string(core::to_label(status)), std::string(core::to_label(reason))}] = 0;
        }
    }
    for (const store::Count& count : counted.counts) {
        if (const auto known = sums.find({count.status, count.of}); known != sums.end()) {
            known->second += count.count;
        }
    }
    MetricFamily out = family("sagabox_dead_letters",
                              "Dead letters by status and reason; FAILED ones wait for a person.");
    for (const auto& [of, count] : sums) {
        out.metric.push_back(
            sample({{"status", of.first}, {"reason", of.second}}, static_cast<double>(count)));
    }
    return out;
}

} // namespace

MetricFamily single(const char* name, const char* help, double value)
{
    MetricFamily out = family(name, help);
    out.metric.push_back(sample({}, value));
    return out;
}

std::vector<MetricFamily> figures(const engine::Survey& survey, const Named& named)
{
    const store::Overview& overview = survey.overview;
    std::vector<MetricFamily> out;
    out.push_back(events(overview.active, named));
    out.push_back(
        single("sagabox_events_counted_exactly",
               "1 where sagabox_events counts all; 0: there are more than were looked at.",
               overview.active.exact ? 1 : 0));
    const std::chrono::duration<double> age =
        overview.oldest_pending.value_or(std::chrono::microseconds{0});
    out.push_back(single("sagabox_oldest_pending_age_seconds",
                         "Age of the oldest event that could be taken now; 0: there is none.",
                         age.count()));
    out.push_back(letters(overview.letters));
    if (!survey.mail.empty()) {
        MetricFamily mail = family("sagabox_emails", "Messages by status.");
        for (const store::MailCount& count : survey.mail) {
            mail.metric.push_back(
                sample({{"status", count.status}}, static_cast<double>(count.messages)));
        }
        out.push_back(std::move(mail));
    }
    return out;
}

MetricFamily failing_family(const std::vector<engine::DestinationWatch::Failing>& failing,
                            const Named& named)
{
    std::map<std::string, double, std::less<>> seconds;
    for (const auto& [name, series] : named.destinations) {
        seconds[label_text(name)] = 0;
    }
    for (const auto& one : failing) {
        if (const auto known = seconds.find(label_text(one.destination)); known != seconds.end()) {
            known->second = std::chrono::duration<double>(one.lasting).count();
        }
    }
    MetricFamily out = family("sagabox_destination_failing_seconds",
                              "From the first failure to the latest, while nothing but failures "
                              "came from a destination; 0: something good came, or nothing.");
    for (const auto& [name, value] : seconds) {
        out.metric.push_back(sample({{"destination", name}}, value));
    }
    return out;
}

} // namespace sagabox::metrics
