#include "metrics/metrics.hpp"

#include "core/decide_fixture.hpp"
#include "core/mail.hpp"
#include "testing/exposition.hpp"

#include <fstream>
#include <map>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sagabox::metrics {
namespace {

using namespace std::chrono_literals;
using core::Outcome;
using testing::Exposition;

class MetricsTest : public ::testing::Test {
protected:
    [[nodiscard]] Exposition page() const { return Exposition(metrics.page()); }

    [[nodiscard]] double calls(const std::string& destination, const std::string& direction,
                               const std::string& outcome) const
    {
        return page().value(
            "sagabox_calls_total",
            {{"destination", destination}, {"direction", direction}, {"outcome", outcome}});
    }
    [[nodiscard]] double ends(const std::string& type, const std::string& end) const
    {
        return page().value("sagabox_sagas_ended_total", {{"type", type}, {"end", end}});
    }
    void end(const std::string& type, core::Errand errand, const core::Action& last)
    {
        core::Saga ended{{core::test_event(), {}, {}}, std::move(errand)};
        ended.own.event.type = type;
        metrics.settled(ended, last);
    }
    static engine::Survey survey_of(std::vector<store::Count> active,
                                    std::vector<store::Count> letters = {})
    {
        engine::Survey survey;
        survey.overview.active.counts = std::move(active);
        survey.overview.letters.counts = std::move(letters);
        return survey;
    }

    /// One provider, `first`.
    void configure_mail()
    {
        auto mail = std::make_shared<core::MailPlan>();
        core::MailProvider provider;
        provider.name = "first";
        mail->providers.push_back(provider);
        plan.mail = mail;
        const std::string name(core::mail_destination);
        plan.destinations.emplace(name,
                                  core::Destination{name, {core::Route{}}, core::Means::mail});
        metrics.reload(plan);
    }

    core::Saga saga{{core::test_event(), {}, {}}, core::Forward{}};
    core::Plan plan = core::plan_of_abc();
    engine::DestinationWatch destinations{60s};
    Metrics metrics{std::make_shared<const core::Plan>(plan), "1.2.3", 1h, destinations};
};

TEST_F(MetricsTest, have_every_series_at_zero_before_anything_happened)
{
    const Exposition first = page();
    EXPECT_EQ(first.value("sagabox_build_info", {{"version", "1.2.3"}}), 1);
    EXPECT_EQ(first.value("sagabox_leases_lost_total"), 0);
    EXPECT_EQ(first.value("sagabox_listening"), 0);
    EXPECT_EQ(first.value("sagabox_destination_failing_seconds", {{"destination", "b"}}), 0);
    EXPECT_EQ(calls("a", "forward", "succeeded"), 0);
    EXPECT_EQ(calls("c", "revert", "unknown"), 0);
    EXPECT_EQ(ends("OrderCreated", "completed"), 0);
    EXPECT_EQ(ends("!OrderCreated", "undone"), 0);
    EXPECT_EQ(ends("other", "gave_up"), 0);
}

TEST_F(MetricsTest, count_calls_by_destination_direction_and_outcome_with_their_durations)
{
    core::StepResult row = core::happened("a", Outcome::succeeded);
    row.duration = 40ms;
    metrics.step(saga, row, core::Finish{});
    row.duration = 3s;
    metrics.step(saga, row, core::Finish{});
    metrics.step(saga, core::happened("b", Outcome::failed), core::Wait{});
    metrics.step(saga, core::reverted("a", Outcome::rejected), core::Finish{});
    metrics.step(saga, core::happened("c", Outcome::skipped), core::Finish{});

    EXPECT_EQ(calls("a", "forward", "succeeded"), 2);
    EXPECT_EQ(calls("b", "forward", "failed"), 1);
    EXPECT_EQ(calls("a", "revert", "rejected"), 1);
    EXPECT_EQ(calls("c", "forward", "skipped"), 1);
    const Exposition now = page();
    const Exposition::Labels of_a{{"destination", "a"}, {"direction", "forward"}};
    EXPECT_EQ(now.value("sagabox_call_duration_seconds_count", of_a), 2);
    EXPECT_NEAR(now.value("sagabox_call_duration_seconds_sum", of_a), 3.04, 1e-9);
    EXPECT_EQ(now.value("sagabox_call_duration_seconds_bucket",
                        {{"destination", "a"}, {"direction", "forward"}, {"le", "0.05"}}),
              1);
    EXPECT_EQ(now.value("sagabox_call_duration_seconds_count",
                        {{"destination", "c"}, {"direction", "forward"}}),
              0)
        << "no call was made";
    EXPECT_EQ(now.value("sagabox_retries_total", {{"destination", "b"}, {"direction", "forward"}}),
              1);
    EXPECT_EQ(now.value("sagabox_retries_total", {{"destination", "a"}, {"direction", "forward"}}),
              0);
}

TEST_F(MetricsTest, count_how_sagas_end)
{
    end("OrderCreated", core::Forward{}, core::Finish{});
    end("OrderCreated", core::Forward{},
        core::GiveUp{core::LetterReason::MAX_RETRIES_EXCEEDED, "", 3});
    end("OrderCreated", core::Compensation{}, core::Finish{});
    end("OrderCreated", core::Compensation{},
        core::NeedsPerson{core::LetterReason::NON_RETRYABLE_ERROR, "", 0});
    end("OrderCreated", core::Forward{}, core::StopForCancel{});
    end("OrderCreated", core::Forward{}, core::Wait{});
    end("!OrderCreated", core::Cancellation{}, core::Finish{});
    end("!OrderCreated", core::Cancellation{},
        core::NeedsPerson{core::LetterReason::POISONED, "", 0});

    for (const char* how : {"completed", "gave_up", "compensated", "needs_person", "cancelled"}) {
        EXPECT_EQ(ends("OrderCreated", how), 1) << how;
    }
    EXPECT_EQ(ends("!OrderCreated", "undone"), 1);
    const Exposition now = page();
    EXPECT_EQ(now.value("sagabox_compensations_total", {{"result", "compensated"}}), 1);
    EXPECT_EQ(now.value("sagabox_compensations_total", {{"result", "needs_person"}}), 1);
    const auto letters = [&now](const std::string& reason) {
        return now.value("sagabox_dead_letters_written_total", {{"reason", reason}});
    };
    EXPECT_EQ(letters("MAX_RETRIES_EXCEEDED"), 1);
    EXPECT_EQ(letters("NON_RETRYABLE_ERROR"), 0) << "that letter was there already";
    EXPECT_EQ(letters("POISONED"), 1);
}

/// The series of the table in docs/metrics.md, each with its type.
std::map<std::string, std::string> documented_series()
{
    std::ifstream file(std::string(SAGABOX_SOURCE_DIR) + "/docs/metrics.md");
    const std::regex row("^\\| `(sagabox_\\w+)` \\| (\\w+).*");
    std::map<std::string, std::string> series;
    for (std::string line; std::getline(file, line);) {
        if (std::smatch found; std::regex_match(line, found, row)) {
            series[found[1]] = found[2];
        }
    }
    return series;
}

TEST_F(MetricsTest, are_those_that_the_documentation_lists)
{
    configure_mail();
    engine::Survey survey = survey_of({});
    survey.mail = {{"SUCCESS_SENT", 12}};
    metrics.surveyed(survey);
    std::map<std::string, std::string> told;
    const Exposition now = page();
    for (const auto& [name, family] : now.families()) {
        told[name] = family.type;
    }
    EXPECT_EQ(told, documented_series());
}

TEST_F(MetricsTest, have_no_series_for_what_only_an_event_names)
{
    const std::size_t before = page().families().at("sagabox_sagas_ended_total").samples.size();
    for (int i = 0; i < 100; ++i) {
        end("Made up " + std::to_string(i), core::Forward{}, core::Finish{});
        metrics.step(saga, core::happened("made-up-" + std::to_string(i), Outcome::succeeded),
                     core::Finish{});
    }
    metrics.surveyed(survey_of({{"PENDING", "<script>", 2}, {"PENDING", "Unheard of", 3}}));
    const Exposition now = page();
    EXPECT_EQ(now.families().at("sagabox_sagas_ended_total").samples.size(), before);
    EXPECT_EQ(ends("other", "completed"), 100);
    EXPECT_EQ(now.value("sagabox_events", {{"status", "PENDING"}, {"type", "other"}}), 5);
}

TEST_F(MetricsTest, tell_the_last_survey_whole_and_drop_what_is_gone)
{
    EXPECT_FALSE(page().has("sagabox_events"));
    EXPECT_FALSE(page().has("sagabox_oldest_pending_age_seconds"));
    engine::Survey survey =
        survey_of({{"PENDING", "OrderCreated", 7}, {"PROCESSING", "OrderCreated", 2}},
                  {{"FAILED", "POISONED", 4}});
    survey.overview.oldest_pending = 90'500ms;
    survey.mail = {{"SUCCESS_SENT", 12}};
    metrics.surveyed(survey);
    const Exposition now = page();
    EXPECT_EQ(now.value("sagabox_events", {{"status", "PENDING"}, {"type", "OrderCreated"}}), 7);
    EXPECT_EQ(now.value("sagabox_events_counted_exactly"), 1);
    EXPECT_EQ(now.value("sagabox_oldest_pending_age_seconds"), 90.5);
    EXPECT_EQ(now.value("sagabox_dead_letters", {{"status", "FAILED"}, {"reason", "POISONED"}}), 4);
    EXPECT_EQ(now.value("sagabox_dead_letters",
                        {{"status", "PENDING"}, {"reason", "MAX_RETRIES_EXCEEDED"}}),
              0);
    EXPECT_EQ(now.value("sagabox_emails", {{"status", "SUCCESS_SENT"}}), 12);

    metrics.surveyed(survey_of({}));
    EXPECT_EQ(page().value("sagabox_events", {{"status", "PENDING"}, {"type", "OrderCreated"}}), 0);
    EXPECT_EQ(page().value("sagabox_survey_failures_total"), 0);
    metrics.surveyed(fail(Fault::Kind::timeout, "gone"));
    EXPECT_EQ(page().value("sagabox_survey_failures_total"), 1);
    EXPECT_TRUE(page().has("sagabox_events")) << "one failure says little";
}

TEST_F(MetricsTest, leave_out_what_a_survey_said_too_long_ago)
{
    Metrics impatient(std::make_shared<const core::Plan>(plan), "1.2.3", 0ms, destinations);
    impatient.surveyed(survey_of({{"PENDING", "OrderCreated", 7}}));
    const Exposition now(impatient.page());
    EXPECT_FALSE(now.has("sagabox_events"));
    EXPECT_FALSE(now.has("sagabox_dead_letters"));
    EXPECT_GE(now.value("sagabox_survey_age_seconds"), 0);
}

TEST_F(MetricsTest, count_only_the_returns_of_listen_as_reconnects)
{
    metrics.listen_began();
    EXPECT_EQ(page().value("sagabox_listening"), 1);
    EXPECT_EQ(page().value("sagabox_listen_reconnects_total"), 0);
    metrics.listen_lost();
    EXPECT_EQ(page().value("sagabox_listening"), 0);
    metrics.listen_began();
    EXPECT_EQ(page().value("sagabox_listen_reconnects_total"), 1);
}

TEST_F(MetricsTest, count_claims_flushes_and_lost_leases)
{
    metrics.claimed(7);
    metrics.claimed(2);
    metrics.claim_failed();
    metrics.lease_lost(saga);
    store::Journal::Flushed flush;
    flush.entries = 5;
    flush.rows = 8;
    flush.time = 3ms;
    metrics.flushed(flush);
    const Exposition now = page();
    EXPECT_EQ(now.value("sagabox_claims_total"), 9);
    EXPECT_EQ(now.value("sagabox_claim_failures_total"), 1);
    EXPECT_EQ(now.value("sagabox_leases_lost_total"), 1);
    EXPECT_EQ(now.value("sagabox_journal_results_total"), 8);
    EXPECT_EQ(now.value("sagabox_journal_flush_entries_sum"), 5);
    EXPECT_EQ(now.value("sagabox_journal_flush_duration_seconds_bucket", {{"le", "0.0025"}}), 0);
    EXPECT_EQ(now.value("sagabox_journal_flush_duration_seconds_bucket", {{"le", "0.005"}}), 1);
}

TEST_F(MetricsTest, stay_valid_and_tell_apart_whatever_names_the_configuration_has)
{
    const std::vector<std::string> hostile{
        "a\"} 1\nsagabox_up 1\n#", "back\\slash", "\r\n", "ключ \u202e", "{}=,", " ",
        std::string("nul\0", 4)};
    for (const std::string& name : hostile) {
        plan.destinations.emplace(name,
                                  core::Destination{name, {core::route_to("http://a.example/")}});
        plan.fanouts.emplace(name, std::vector<std::string>{"a"});
    }
    plan.destinations.emplace("\xff\xfe",
                              core::Destination{"\xff\xfe", {core::route_to("http://a.example/")}});
    metrics.reload(plan);
    metrics.surveyed(survey_of({{"PENDING", hostile[0], 1}}));
    for (const std::string& name : hostile) {
        metrics.step(saga, core::happened(name, Outcome::unknown), core::Wait{});
        destinations.heard(name, Outcome::unknown, std::chrono::steady_clock::now());
        EXPECT_EQ(calls(name, "forward", "unknown"), 1) << name;
    }
    EXPECT_EQ(calls("\uFFFD\uFFFD", "forward", "unknown"), 0);
    EXPECT_EQ(page().value("sagabox_events", {{"status", "PENDING"}, {"type", hostile[0]}}), 1);
}

TEST_F(MetricsTest, give_a_reloaded_plan_its_series_and_keep_the_counts_of_the_old)
{
    metrics.step(saga, core::happened("a", Outcome::succeeded), core::Finish{});
    plan.destinations.emplace("d", core::Destination{"d", {core::route_to("http://d.example/")}});
    metrics.reload(plan);
    metrics.step(saga, core::happened("d", Outcome::succeeded), core::Finish{});
    EXPECT_EQ(calls("a", "forward", "succeeded"), 1);
    EXPECT_EQ(calls("d", "forward", "succeeded"), 1);
}

TEST_F(MetricsTest, count_tries_to_send_mail_by_provider)
{
    configure_mail();
    const std::string name(core::mail_destination);
    core::StepResult row = core::happened(name, Outcome::succeeded);
    row.request = core::json_of(R"({"provider": "first"})");
    metrics.step(saga, row, core::Finish{});
    row.request = core::json_of(R"({"provider": "unheard of"})");
    metrics.step(saga, row, core::Finish{});
    EXPECT_EQ(page().value("sagabox_email_sends_total",
                           {{"provider", "first"}, {"outcome", "succeeded"}}),
              1);
    EXPECT_EQ(calls(name, "forward", "succeeded"), 2);
}

} // namespace
} // namespace sagabox::metrics
