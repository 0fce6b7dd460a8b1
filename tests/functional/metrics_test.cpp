#include "testing/exposition.hpp"
#include "tests/functional/api_fixture.hpp"

#include <stdexcept>

namespace sagabox::testing {
namespace {

using ::testing::HasSubstr;

class MetricsPage : public ApiRelayTest {
protected:
    static Exposition page(std::uint16_t port)
    {
        const HttpAnswer answer = get(port, "/metrics");
        if (answer.status != 200) {
            throw std::runtime_error("no metrics: " + answer.head + answer.body);
        }
        return Exposition(answer.body);
    }

    /// Asks until a series has a value; throws when it never does.
    static void await_value(std::uint16_t port, const std::string& name,
                            const Exposition::Labels& labels, double value)
    {
        const auto until = std::chrono::steady_clock::now() + patience;
        for (;;) {
            const Exposition now = page(port);
            const std::string family = name;
            if (now.has(family) && now.value(name, labels) == value) {
                return;
            }
            if (std::chrono::steady_clock::now() > until) {
                throw std::runtime_error(name + " never became " + std::to_string(value));
            }
        }
    }

    static Exposition::Labels step(const std::string& destination, const std::string& direction,
                                   const std::string& outcome)
    {
        return {{"destination", destination}, {"direction", direction}, {"outcome", outcome}};
    }
};

TEST_F(MetricsPage, tells_what_the_relay_did)
{
    Config text = abc();
    text.with("metrics.surveyInterval = 200 ms");
    stub.on("/b", answer(500)).then(answer(200));
    stub.on("/c", answer(400));
    const StartedRelay relay(text);
    const std::uint16_t port = port_of(relay);
    await_end(emit("order-1", "Made"), "PROCESSED");
    stub.on("/c", answer(200));
    await_status(emit("order-2", "Made"), "PROCESSED");
    await_value(port, "sagabox_sagas_ended_total", {{"type", "Made"}, {"end", "completed"}}, 1);
    await_value(port, "sagabox_sagas_ended_total", {{"type", "Made"}, {"end", "compensated"}}, 1);

    const Exposition now = page(port);
    const auto calls = [&now](const Exposition::Labels& of) {
        return now.value("sagabox_calls_total", of);
    };
    EXPECT_EQ(calls(step("a", "forward", "succeeded")), 2);
    EXPECT_EQ(calls(step("b", "forward", "failed")), 1);
    EXPECT_EQ(calls(step("b", "forward", "succeeded")), 2);
    EXPECT_EQ(calls(step("c", "forward", "rejected")), 1);
    EXPECT_EQ(calls(step("a", "revert", "succeeded")), 1);
    EXPECT_EQ(calls(step("c", "revert", "succeeded")), 0);
    EXPECT_EQ(now.value("sagabox_call_duration_seconds_count",
                        {{"destination", "b"}, {"direction", "forward"}}),
              3);
    EXPECT_EQ(now.value("sagabox_retries_total", {{"destination", "b"}, {"direction", "forward"}}),
              1);
    EXPECT_EQ(now.value("sagabox_dead_letters_written_total", {{"reason", "NON_RETRYABLE_ERROR"}}),
              1);
    EXPECT_EQ(now.value("sagabox_journal_results_total"),
              std::stod(sql->one("select count(*) from aggregate_results")));
    EXPECT_GE(now.value("sagabox_claims_total"), 4);
    EXPECT_GE(now.value("sagabox_journal_flush_entries_count"), 4);
    await_value(port, "sagabox_listening", {}, 1);
    await_value(port, "sagabox_dead_letters",
                {{"status", "PROCESSED"}, {"reason", "NON_RETRYABLE_ERROR"}}, 1);
}

TEST_F(MetricsPage, tells_how_the_outbox_fares_whoever_works_on_it)
{
    sql->exec("insert into outbox_events (aggregate_id, event_type, payloads, next_retry_at) "
              "select 'order-' || n, case when n > 3 then 'Never heard of' else 'Made' end, '{}', "
              "now() + interval '1 hour' from generate_series(1, 5) n");
    sql->exec("insert into dead_letter_events (original_event_id, aggregate_id, event_type, "
              "payloads, retry_count, last_error, reason, status) select id, aggregate_id, "
              "event_type, payloads, 0, 'x', 'POISONED', 'FAILED' from outbox_events limit 2");
    const StartedRelay relay(abc().with("metrics.surveyInterval = 200 ms"));
    const std::uint16_t port = port_of(relay);
    await_value(port, "sagabox_events", {{"status", "PENDING"}, {"type", "Made"}}, 3);
    await_value(port, "sagabox_events", {{"status", "PENDING"}, {"type", "other"}}, 2);
    await_value(port, "sagabox_dead_letters", {{"status", "FAILED"}, {"reason", "POISONED"}}, 2);
    await_value(port, "sagabox_oldest_pending_age_seconds", {}, 0);
}

TEST_F(MetricsPage, answers_while_the_database_is_away_and_keeps_no_figures_that_were_true_once)
{
    const StartedRelay relay(abc().with("metrics.surveyInterval = 200 ms"));
    const std::uint16_t port = port_of(relay);
    await_status(emit("order-1", "Made"), "PROCESSED");
    await_value(port, "sagabox_events_counted_exactly", {}, 1);
    await_value(port, "sagabox_listening", {}, 1);

    Sql other(Postgres::instance().cluster().url("postgres"));
    const std::string database = sql->one("select current_database()");
    other.exec("alter database " + database + " allow_connections false");
    other.exec("select pg_terminate_backend(pid) from pg_stat_activity where datname = '" +
               database + "'");
    const auto until = std::chrono::steady_clock::now() + patience;
    while (page(port).has("sagabox_events")) {
        ASSERT_LT(std::chrono::steady_clock::now(), until) << "old figures are still told";
    }
    const Exposition now = page(port);
    EXPECT_GT(now.value("sagabox_survey_age_seconds"), 0.4);
    EXPECT_EQ(now.value("sagabox_calls_total", step("a", "forward", "succeeded")), 1);
    await_value(port, "sagabox_listening", {}, 0);

    other.exec("alter database " + database + " allow_connections true");
    await_value(port, "sagabox_events_counted_exactly", {}, 1);
    await_value(port, "sagabox_listening", {}, 1);
    EXPECT_GE(page(port).value("sagabox_listen_reconnects_total"), 1);
}

TEST_F(MetricsPage, is_shown_to_nobody_without_the_token)
{
    const StartedRelay relay(abc().with("http.auth.token = \"a token of nine words\""));
    const std::uint16_t port = port_of(relay);
    EXPECT_EQ(get(port, "/metrics").status, 401);
    const HttpAnswer answer =
        get(port, "/metrics", "Authorization: Bearer a token of nine words\r\n");
    EXPECT_EQ(answer.status, 200);
    EXPECT_THAT(answer.head, HasSubstr("text/plain; version=0.0.4"));
    EXPECT_NO_THROW(Exposition(answer.body));
}

} // namespace
} // namespace sagabox::testing
