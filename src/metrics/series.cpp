#include "metrics/series.hpp"

#include "core/mail.hpp"
#include "json/unicode.hpp"

#include <utility>

namespace sagabox::metrics {

namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;

const prometheus::Histogram::BucketBoundaries call_buckets{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                                                           1,     2.5,  5,     10,   30,  60};
const prometheus::Histogram::BucketBoundaries flush_buckets{
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
const prometheus::Histogram::BucketBoundaries batch_buckets{1, 2, 4, 8, 16, 32, 64, 128, 256};

prometheus::Family<prometheus::Counter>& counters(prometheus::Registry& registry, const char* name,
                                                  const char* help)
{
    return BuildCounter().Name(name).Help(help).Register(registry);
}

prometheus::Counter& counter(prometheus::Registry& registry, const char* name, const char* help)
{
    return counters(registry, name, help).Add({});
}

} // namespace

std::string label_text(std::string_view name)
{
    std::string out;
    for (std::size_t at = 0; at < name.size();) {
        if (const auto point = json::decode_utf8(name, at)) {
            out.append(name, at, point->length);
            at += point->length;
        } else {
            json::append_utf8(out, json::replacement_character);
            ++at;
        }
    }
    return out;
}

std::string_view Named::label_of(std::string_view type) const
{
    const auto found = types.find(type);
    return found == types.end() ? other_types : std::string_view(found->first);
}

Families::Families()
    : build_info(BuildGauge()
                     .Name("sagabox_build_info")
                     .Help("Always 1; the labels say what runs.")
                     .Register(registry)),
      claims(counter(registry, "sagabox_claims_total",
                     "Events and dead letters that this relay's workers took.")),
      claim_failures(counter(registry, "sagabox_claim_failures_total",
                             "Looks for work that the database did not answer, or refused.")),
      leases_lost(counter(registry, "sagabox_leases_lost_total",
                          "Sagas dropped because another worker had taken them over.")),
      listen_reconnects(counter(registry, "sagabox_listen_reconnects_total",
                                "Times that LISTEN came back after it had been lost.")),
      listening(BuildGauge()
                    .Name("sagabox_listening")
                    .Help("1 while LISTEN is in force; at 0, events are found at poll speed.")
                    .Register(registry)
                    .Add({})),
      journal_results(counter(registry, "sagabox_journal_results_total",
                              "Rows of aggregate_results that were written.")),
      flush_entries(BuildHistogram()
                        .Name("sagabox_journal_flush_entries")
                        .Help("Entries written by one commit of a journal.")
                        .Register(registry)
                        .Add({}, batch_buckets)),
      flush_seconds(BuildHistogram()
                        .Name("sagabox_journal_flush_duration_seconds")
                        .Help("Time from sending a flush to the confirmation of its commit.")
                        .Register(registry)
                        .Add({}, flush_buckets)),
      surveys_failed(counter(registry, "sagabox_survey_failures_total",
                             "Times that the database could not be asked how the outbox fares.")),
      calls_(counters(registry, "sagabox_calls_total",
                      "Calls made, and steps passed over, by what came of them.")),
      call_seconds_(BuildHistogram()
                        .Name("sagabox_call_duration_seconds")
                        .Help("Time from sending a call to its answer or its failure.")
                        .Register(registry)),
      retries_(counters(registry, "sagabox_retries_total",
                        "Calls after which the saga waits and tries again.")),
      ends_(counters(registry, "sagabox_sagas_ended_total",
                     "Ends that were written down: of events, of their compensation, of cancels.")),
      mail_(counters(registry, "sagabox_email_sends_total",
                     "Tries to send a message, by provider and by what came of them."))
{
    auto& letters = counters(registry, "sagabox_dead_letters_written_total",
                             "Events that failed for good here.");
    for (std::size_t i = 0; i < reasons.size(); ++i) {
        letters_written[i] = &letters.Add({{"reason", std::string(core::to_label(reasons[i]))}});
    }
    auto& ended = counters(registry, "sagabox_compensations_total",
                           "Dead letters whose compensation came to its end here.");
    compensations = {&ended.Add({{"result", "compensated"}}),
                     &ended.Add({{"result", "needs_person"}})};
}

StepSeries Families::step_series(const std::string& destination, std::string_view direction)
{
    const std::string name = label_text(destination);
    StepSeries series;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        series.by_outcome[i] = &calls_.Add({{"destination", name},
                                            {"direction", std::string(direction)},
                                            {"outcome", std::string(core::to_label(outcomes[i]))}});
    }
    const prometheus::Labels labels{{"destination", name}, {"direction", std::string(direction)}};
    series.retries = &retries_.Add(labels);
    series.seconds = &call_seconds_.Add(labels, call_buckets);
    return series;
}

std::shared_ptr<const Named> Families::named_by(const core::Plan& plan)
{
    auto named = std::make_shared<Named>();
    std::set<std::string> types{std::string(other_types)};
    const auto add_type = [&types](const std::string& type) {
        types.insert(type);
        types.insert("!" + type);
    };
    for (const auto& [name, destination] : plan.destinations) {
        named->destinations[name] = {step_series(name, "forward"), step_series(name, "revert")};
        add_type(name); // an event type without a fan-out goes to the destination of its name
    }
    for (const auto& [type, steps] : plan.fanouts) {
        add_type(type);
    }
    for (const std::string& type : types) {
        EndSeries& series = named->types[type];
        for (std::size_t i = 0; i < end_labels.size(); ++i) {
            series[i] =
                &ends_.Add({{"type", label_text(type)}, {"end", std::string(end_labels[i])}});
        }
    }
    if (plan.mail) {
        for (const core::MailProvider& provider : plan.mail->providers) {
            ProviderSeries& series = named->providers[provider.name];
            for (std::size_t i = 0; i < outcomes.size(); ++i) {
                series[i] = &mail_.Add({{"provider", label_text(provider.name)},
                                        {"outcome", std::string(core::to_label(outcomes[i]))}});
            }
        }
    }
    return named;
}

} // namespace sagabox::metrics
