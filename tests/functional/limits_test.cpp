#include "tests/functional/saga_fixture.hpp"

#include <algorithm>
#include <atomic>

namespace sagabox::testing {
namespace {

class Limits : public SagaTest {
protected:
    /// A destination at `/<name>` with limits, which is the fan-out of the type of its own name.
    [[nodiscard]] std::string limited(const std::string& name, const std::string& limits) const
    {
        return fmt::format("outbox.http.routes.{} {{ url = \"{}\", limits {{ {} }} }}", name,
                           stub.url("/" + name), limits);
    }

    void emit_many(const std::string& type, int count) const
    {
        sql->exec("insert into outbox_events (aggregate_id, event_type, payloads) "
                  "select $1 || n, $1, '{}' from generate_series(1, $2::int) n",
                  {type, std::to_string(count)});
    }

    void await_all_processed(int count) const
    {
        sql->await("select count(*) from outbox_events where status = 'PROCESSED'",
                   std::to_string(count));
    }

    [[nodiscard]] std::string retries() const
    {
        return sql->one("select sum(retry_count) from outbox_events");
    }

    [[nodiscard]] std::vector<std::chrono::steady_clock::time_point>
    moments(const std::string& path) const
    {
        std::vector<std::chrono::steady_clock::time_point> at;
        for (const Arrival& one : stub.arrivals(path)) {
            at.push_back(one.at);
        }
        std::ranges::sort(at);
        return at;
    }
};

TEST_F(Limits, a_destination_that_hangs_leaves_half_the_room_to_others_whatever_it_is_sent)
{
    stub.on("/stuck", hanging());
    stub.on("/quick", answer(200));
    Config wanted = config();
    wanted.route("stuck", stub).route("quick", stub);
    wanted.with("outbox.maxInFlight = 10").with("outbox.batchSize = 10");
    const StartedRelay relay(wanted);
    emit_many("stuck", 60);
    ASSERT_TRUE(stub.wait_for_arrivals("/stuck", 5, patience));
    emit_many("quick", 20);
    await_all_processed(20);
    EXPECT_EQ(arrivals("/stuck"), 5U) << "its share is half of maxInFlight";
    EXPECT_EQ(retries(), "0");
    stub.release();
    await_all_processed(80);
    EXPECT_EQ(arrivals("/stuck"), 60U);
}

TEST_F(Limits, two_relays_keep_the_rate_together_and_spend_no_retry)
{
    stub.on("/a", answer(200));
    const Config wanted = config().with(limited("a", "ratePerSecond = 40"));
    StartedRelay one(wanted);
    StartedRelay other(wanted);
    emit_many("a", 120);
    await_all_processed(120);
    const auto at = moments("/a");
    ASSERT_EQ(at.size(), 120U);
    EXPECT_GE(at.back() - at.front(), 2400ms) << "119 pauses of 25 ms, less a fifth";
    EXPECT_EQ(retries(), "0");
    EXPECT_EQ(sql->one("select count(*) from aggregate_results where success"), "120");
}

TEST_F(Limits, no_more_calls_are_under_way_than_allowed_whichever_worker_makes_them)
{
    constexpr auto takes = 60ms;
    stub.on("/a", {.delay = takes});
    StartedRelay relay(
        config().with("outbox.poolSize = 3").with(limited("a", "maxConcurrent = 2")));
    emit_many("a", 40);
    await_all_processed(40);
    const auto at = moments("/a");
    ASSERT_EQ(at.size(), 40U);
    for (std::size_t i = 2; i < at.size(); ++i) {
        EXPECT_GE(at[i] - at[i - 2], takes - 10ms) << "three were under way at once";
    }
    EXPECT_EQ(retries(), "0");
}

TEST_F(Limits, a_destination_that_hangs_takes_no_room_from_another)
{
    stub.on("/slow", {.manner = Reply::Manner::hang});
    stub.on("/quick", answer(200));
    StartedRelay relay(config()
                           .with("outbox.maxInFlight = 20")
                           .with(limited("slow", "maxConcurrent = 2"))
                           .with(limited("quick", "")));
    emit_many("slow", 100);
    ASSERT_TRUE(stub.wait_for_arrivals("/slow", 2, patience));
    emit_many("quick", 50);
    sql->await("select count(*) from outbox_events where event_type = 'quick' "
               "and status = 'PROCESSED'",
               "50");
    EXPECT_EQ(stub.arrivals("/slow").size(), 2U);
}

TEST_F(Limits, who_is_sent_away_holds_no_lease_and_says_why)
{
    stub.on("/a", answer(200));
    StartedRelay relay(config().with(limited("a", "ratePerSecond = 0.01")));
    emit_many("a", 3);
    sql->await("select count(*) from outbox_events where status = 'PENDING' and lease_owner is "
               "null and next_retry_at > now() and last_error like '%ratePerSecond%'",
               "2");
    EXPECT_EQ(stub.arrivals("/a").size(), 1U);
    EXPECT_EQ(sql->one("select (max(next_retry_at) - min(next_retry_at)) between "
                       "interval '99 seconds' and interval '101 seconds' from outbox_events "
                       "where status = 'PENDING'"),
              "t");
}

TEST_F(Limits, a_breaker_keeps_events_from_spending_their_retries_on_a_dead_service)
{
    std::atomic<bool> down{true};
    stub.on("/a", [&down](const Arrival&) { return Reply{.status = down ? 503 : 200}; });
    StartedRelay relay(
        config()
            .with("outbox.maxRetries = 3")
            .with(limited("a", "maxConcurrent = 1, breaker { failures = 3, openFor = 1 second }")));
    emit_many("a", 40);
    ASSERT_TRUE(
        relay.wait_for_log("a is left alone for 1000 ms after 3 failures in a row", patience));
    down = false;
    await_all_processed(40);
    ASSERT_TRUE(relay.wait_for_log("a works again", patience));
    EXPECT_EQ(sql->one("select count(*) from dead_letter_events"), "0");
    // Three opened it; each probe that failed before the service was up again adds one.
    const auto failed = sql->one("select count(*) from aggregate_results where not success");
    EXPECT_LE(std::stoi(failed), 8);
    EXPECT_EQ(sql->one("select open_until is null and failures = 0 from outbox_destinations"), "t");
}

TEST_F(Limits, a_429_that_names_a_time_holds_back_the_whole_destination)
{
    stub.on("/a", {.status = 429, .headers = {{"Retry-After", "1"}}}).then(answer(200));
    StartedRelay relay(config().with(limited("a", "maxConcurrent = 1")));
    emit_many("a", 6);
    await_all_processed(6);
    const auto at = moments("/a");
    ASSERT_EQ(at.size(), 7U);
    EXPECT_GE(at[1] - at[0], 900ms);
    EXPECT_EQ(retries(), "1") << "only the one that was told";
}

TEST_F(Limits, undoing_keeps_them_too)
{
    stub.on("/a", answer(200));
    stub.on("/a/undo", answer(200));
    stub.on("/b", answer(400));
    StartedRelay relay(
        config()
            .with(fmt::format("outbox.http.routes.a {{ url = \"{0}\", limits {{ ratePerSecond = 20 "
                              "}}, revert {{ url = \"{0}/undo\", method = DELETE }} }}",
                              stub.url("/a")))
            .route("b", stub)
            .fanout("Made", {"a", "b"}));
    emit_many("Made", 20);
    sql->await("select count(*) from dead_letter_events where status = 'PROCESSED'", "20");
    std::vector<std::chrono::steady_clock::time_point> at = moments("/a");
    const auto undone = moments("/a/undo");
    ASSERT_EQ(undone.size(), 20U);
    at.insert(at.end(), undone.begin(), undone.end());
    std::ranges::sort(at);
    EXPECT_GE(at.back() - at.front(), 1560ms) << "39 pauses of 50 ms, less a fifth";
}

} // namespace
} // namespace sagabox::testing
