#include "tests/functional/relay_fixture.hpp"

#include <map>
#include <set>

namespace sagabox::testing {
namespace {

class Claiming : public RelayTest {
protected:
    /// Events are then found by looks at the table alone.
    void notify_nobody() { sql->exec("alter table outbox_events disable trigger outbox_wake"); }

    /// Runs an event that only a look at the whole queue can find. Once it is done, whatever else
    /// could have been claimed has been.
    void let_everything_be_claimed()
    {
        for (int i = 0; i < 2; ++i) {
            await_status(emit("somebody else", "Marker"), "PROCESSED");
        }
    }

    /// With a type of event that goes nowhere else.
    [[nodiscard]] Config with_marker()
    {
        stub.on("/marker", Reply{});
        return config().route("marker", stub).fanout("Marker", {"marker"});
    }
};

TEST_F(Claiming, takes_an_event_that_was_committed_before_the_start)
{
    stub.on("/a", Reply{});
    const std::string event = emit("order-1", "Made");
    const StartedRelay relay(config().route("a", stub).fanout("Made", {"a"}));
    await_status(event, "PROCESSED");
    EXPECT_EQ(stub.arrivals("/a").size(), 1U);
}

TEST_F(Claiming, takes_each_of_a_hundred_rows_of_one_transaction_once)
{
    stub.on("/a", Reply{});
    const StartedRelay relay(
        config().with("outbox.pollInterval = 30 seconds").route("a", stub).fanout("Made", {"a"}));
    sql->exec("insert into outbox_events (aggregate_id, event_type, payloads) "
              "select 'order-' || i, 'Made', '{}' from generate_series(1, 100) i");
    await_count("outbox_events where status = 'PROCESSED'", 100);
    EXPECT_EQ(stub.arrivals("/a").size(), 100U);
}

TEST_F(Claiming, shares_five_hundred_rows_among_three_relays_without_doing_any_twice)
{
    Reply slow;
    slow.delay = 30ms;
    stub.on("/a", slow);
    sql->exec("insert into outbox_events (aggregate_id, event_type, payloads) "
              "select 'order-' || i, 'Made', '{}' from generate_series(1, 500) i");
    Config shared = config();
    shared.with("outbox.batchSize = 10").with("outbox.maxInFlight = 10");
    shared.with("outbox.leaseDuration = 5 seconds").route("a", stub).fanout("Made", {"a"});
    const RelayProcess one(shared);
    const RelayProcess two(shared);
    const RelayProcess three(shared);
    await_count("outbox_events where status = 'PROCESSED'", 500);

    const std::vector<Arrival> arrivals = stub.arrivals("/a");
    EXPECT_EQ(arrivals.size(), 500U);
    std::set<std::string> keys;
    for (const Arrival& arrival : arrivals) {
        keys.insert(arrival.header("Idempotency-Key"));
    }
    EXPECT_EQ(keys.size(), 500U);
    for (const RelayProcess* relay : {&one, &two, &three}) {
        EXPECT_GT(relay->count_in_log("a attempt 1 POST -> 200"), 0U) << relay->log();
    }
}

class LateCommit : public Claiming, public ::testing::WithParamInterface<const char*> {};

TEST_P(LateCommit, with_a_smaller_id_is_done_once_and_within_a_poll_interval)
{
    notify_nobody();
    stub.on("/a", Reply{});
    const StartedRelay relay(config()
                                 .with(std::string("outbox.useListenNotify = ") + GetParam())
                                 .route("a", stub)
                                 .fanout("Made", {"a"}));
    Sql slow(url);
    slow.exec("begin");
    const std::string late =
        slow.one("insert into outbox_events (aggregate_id, event_type, payloads) "
                 "values ('late', 'Made', '{}') returning id");
    for (int i = 0; i < 3; ++i) {
        const std::string later = emit("order-1", "Made");
        EXPECT_GT(std::stoll(later), std::stoll(late));
        await_status(later, "PROCESSED");
    }
    const auto committed_at = std::chrono::steady_clock::now();
    slow.exec("commit");
    await_status(late, "PROCESSED");
    EXPECT_LT(std::chrono::steady_clock::now() - committed_at, 1500ms);
    EXPECT_EQ(stub.arrivals("/a").size(), 4U);
}

INSTANTIATE_TEST_SUITE_P(Listening, LateCommit, ::testing::Values("true", "false"),
                         [](const auto& with) {
                             return std::string(with.param) == "true" ? "on" : "off";
                         });

TEST_F(Claiming, is_not_delayed_by_a_gap_that_was_rolled_back)
{
    stub.on("/a", Reply{});
    const StartedRelay relay(
        config().with("outbox.pollInterval = 30 seconds").route("a", stub).fanout("Made", {"a"}));
    await_status(emit("order-1", "Made"), "PROCESSED");
    sql->exec("begin");
    static_cast<void>(emit("order-2", "Made"));
    sql->exec("rollback");
    const auto begun_at = std::chrono::steady_clock::now();
    await_status(emit("order-3", "Made"), "PROCESSED");
    EXPECT_LT(std::chrono::steady_clock::now() - begun_at, 2s);
}

TEST_F(Claiming, delivers_a_payload_of_two_megabytes)
{
    stub.on("/a", Reply{});
    const StartedRelay relay(config().route("a", stub).fanout("Made", {"a"}));
    const std::string event = sql->one(
        "insert into outbox_events (aggregate_id, event_type, payloads) select 'order-1', "
        "'Made', jsonb_build_object('a', repeat('0123456789abcdef', 131072)) returning id");
    await_status(event, "PROCESSED");
    const std::vector<Arrival> arrivals = stub.arrivals("/a");
    ASSERT_EQ(arrivals.size(), 1U);
    EXPECT_EQ(arrivals[0].body.size(), 2U * 1024 * 1024 + 2);
}

TEST_F(Claiming, holds_no_transaction_open_during_a_call)
{
    sql->exec("do $$ begin execute format('alter database %I set "
              "idle_in_transaction_session_timeout = ''1s''', current_database()); end $$");
    Reply slow;
    slow.delay = 1500ms;
    stub.on("/a", slow);
    stub.on("/b", Reply{});
    const StartedRelay relay(config().route("a", stub).route("b", stub).fanout("Made", {"a", "b"}));
    const std::string event = emit("order-1", "Made");
    ASSERT_TRUE(stub.wait_for_arrivals("/a", 1, patience));
    // Claims, renewals and looks go on, each for a moment; what stays open for longer is wrong.
    const std::string open =
        "select count(*) from pg_stat_activity where application_name like "
        "'sagabox%' and datname = current_database() and state like 'idle in "
        "transaction%' and state_change < clock_timestamp() - interval '100 ms'";
    while (status_of(event) != "PROCESSED") {
        ASSERT_EQ(sql->one(open), "0");
    }
    EXPECT_EQ(relay.count_in_log("25P03"), 0U);
    EXPECT_EQ(relay.count_in_log("LISTEN was lost"), 0U);
    EXPECT_EQ(relay.count_in_log("tried again"), 0U);
}

TEST_F(Claiming, lets_a_hanging_destination_starve_no_other)
{
    Reply hang;
    hang.manner = Reply::Manner::hang;
    stub.on("/slow", hang);
    stub.on("/fast", Reply{});
    const StartedRelay relay(config()
                                 .with("outbox.leaseDuration = 5 seconds")
                                 .route("slow", stub)
                                 .route("fast", stub)
                                 .with("outbox.http.routes.slow.timeout = 30 seconds")
                                 .fanout("Slow", {"slow"})
                                 .fanout("Fast", {"fast"}));
    sql->exec("insert into outbox_events (aggregate_id, event_type, payloads) "
              "select 'slow-' || i, 'Slow', '{}' from generate_series(1, 100) i");
    ASSERT_TRUE(stub.wait_for_arrivals("/slow", 100, patience));
    const auto begun_at = std::chrono::steady_clock::now();
    sql->exec("insert into outbox_events (aggregate_id, event_type, payloads) "
              "select 'fast-' || i, 'Fast', '{}' from generate_series(1, 10) i");
    await_count("outbox_events where event_type = 'Fast' and status = 'PROCESSED'", 10);
    EXPECT_LT(std::chrono::steady_clock::now() - begun_at, 3s);
    EXPECT_EQ(stub.arrivals("/slow").size(), 100U);
}

TEST_F(Claiming, keeps_the_events_of_an_aggregate_in_order)
{
    // Every third call fails once, so that order has something to withstand.
    auto calls = std::make_shared<int>(0);
    stub.on("/a", [calls](const Arrival&) {
        Reply reply;
        reply.status = ++*calls % 3 == 0 ? 503 : 200;
        return reply;
    });
    const StartedRelay relay(config()
                                 .with("outbox.poolSize = 3")
                                 .with("outbox.batchSize = 5")
                                 .with("outbox.maxRetries = 20")
                                 .route("a", stub)
                                 .fanout("Made", {"a"}));
    sql->exec("insert into outbox_events (aggregate_id, event_type, payloads) "
              "select 'order-' || i % 4, 'Made', '{}' from generate_series(1, 40) i");
    await_count("outbox_events where status = 'PROCESSED'", 40);

    std::map<std::string, long long> last;
    for (const Arrival& arrival : stub.arrivals("/a")) {
        const long long event = std::stoll(arrival.header("X-Event-Id"));
        long long& before = last[arrival.header("X-Aggregate-Id")];
        EXPECT_GE(event, before);
        before = event;
    }
    EXPECT_EQ(last.size(), 4U);
}

TEST_F(Claiming, counts_a_compensation_as_unfinished)
{
    stub.on("/a", Reply{});
    stub.on("/b", Reply{.status = 400});
    stub.on("/c", Reply{});
    Reply hang;
    hang.manner = Reply::Manner::hang;
    stub.on("/a/undo", hang);
    const StartedRelay relay(with_marker()
                                 .route("a", stub, Config::Revert::always)
                                 .route("b", stub)
                                 .route("c", stub)
                                 .fanout("Made", {"a", "b"})
                                 .fanout("Changed", {"c"}));
    notify_nobody();
    const std::string first = emit("order-1", "Made");
    const std::string second = emit("order-1", "Changed");
    ASSERT_TRUE(stub.wait_for_arrivals("/a/undo", 1, patience));
    let_everything_be_claimed();
    EXPECT_EQ(stub.arrivals("/c").size(), 0U);
    stub.release();
    await_letter(first, "PROCESSED");
    await_status(second, "PROCESSED");
    EXPECT_EQ(stub.arrivals("/c").size(), 1U);
}

TEST_F(Claiming, does_not_count_a_letter_that_needs_a_person_as_unfinished)
{
    stub.on("/a", Reply{});
    stub.on("/a/undo", Reply{.status = 400});
    stub.on("/b", Reply{.status = 400});
    stub.on("/c", Reply{});
    const StartedRelay relay(config()
                                 .route("a", stub, Config::Revert::always)
                                 .route("b", stub)
                                 .route("c", stub)
                                 .fanout("Made", {"a", "b"})
                                 .fanout("Changed", {"c"}));
    const std::string first = emit("order-1", "Made");
    const std::string second = emit("order-1", "Changed");
    await_status(second, "PROCESSED");
    await_letter(first, "FAILED");
    const std::vector<Arrival> undone = stub.arrivals("/a/undo");
    const std::vector<Arrival> changed = stub.arrivals("/c");
    ASSERT_EQ(undone.size(), 1U);
    ASSERT_EQ(changed.size(), 1U);
    EXPECT_LT(undone[0].at, changed[0].at);
}

TEST_F(Claiming, lets_an_event_for_later_hold_up_nobody_before_its_time_and_everybody_after_it)
{
    stub.on("/a", Reply{});
    Reply hang;
    hang.manner = Reply::Manner::hang;
    stub.on("/later", hang);
    const StartedRelay relay(with_marker()
                                 .with("outbox.leaseDuration = 5 seconds")
                                 .route("a", stub)
                                 .route("later", stub)
                                 .fanout("Later", {"later"})
                                 .fanout("Made", {"a"}));
    const std::string later = sql->one("select outbox_emit('order-1', 'Later', '{}', 'k', "
                                       "now() + interval '1 s')");
    await_status(emit("order-1", "Made"), "PROCESSED");
    EXPECT_EQ(stub.arrivals("/later").size(), 0U);
    ASSERT_TRUE(stub.wait_for_arrivals("/later", 1, patience));

    const std::string after = emit("order-1", "Made");
    notify_nobody();
    let_everything_be_claimed();
    EXPECT_EQ(stub.arrivals("/a").size(), 1U);
    stub.release();
    await_status(later, "PROCESSED");
    await_status(after, "PROCESSED");
    EXPECT_EQ(sql->one("select status_changed_at >= created_at + interval '1 s' from outbox_events "
                       "where id = $1",
                       {later}),
              "t");
}

TEST_F(Claiming, takes_events_of_one_aggregate_side_by_side_where_no_order_is_asked_for)
{
    Reply hang;
    hang.manner = Reply::Manner::hang;
    stub.on("/slow", hang);
    stub.on("/fast", Reply{});
    const StartedRelay relay(config()
                                 .with("outbox.ordering = none")
                                 .route("slow", stub)
                                 .route("fast", stub)
                                 .fanout("Slow", {"slow"})
                                 .fanout("Fast", {"fast"}));
    static_cast<void>(emit("order-1", "Slow"));
    ASSERT_TRUE(stub.wait_for_arrivals("/slow", 1, patience));
    await_status(emit("order-1", "Fast"), "PROCESSED");
}

/// Cancels of one event, with and without order: no two may undo the same steps side by side.
class Cancelling : public Claiming, public ::testing::WithParamInterface<const char*> {
protected:
    [[nodiscard]] Config with_saga()
    {
        stub.on("/a", Reply{});
        notify_nobody();
        return with_marker()
            .with(std::string("outbox.ordering = ") + GetParam())
            .with("outbox.poolSize = 2")
            .with("outbox.leaseDuration = 5 seconds")
            .route("a", stub, Config::Revert::always)
            .route("b", stub)
            .fanout("Made", {"a", "b"});
    }
};

TEST_P(Cancelling, twice_at_once_sends_each_revert_once)
{
    stub.on("/b", Reply{});
    Reply hang;
    hang.manner = Reply::Manner::hang;
    stub.on("/a/undo", hang);
    const StartedRelay relay(with_saga());
    await_status(emit("order-1", "Made"), "PROCESSED");
    const std::string first = emit("order-1", "!Made");
    const std::string second = emit("order-1", "!Made");
    ASSERT_TRUE(stub.wait_for_arrivals("/a/undo", 1, patience));
    let_everything_be_claimed();
    EXPECT_EQ(stub.arrivals("/a/undo").size(), 1U);
    stub.release();
    await_status(first, "PROCESSED");
    await_status(second, "PROCESSED");
    EXPECT_EQ(stub.arrivals("/a/undo").size(), 1U);
}

TEST_P(Cancelling, again_while_the_first_cancel_waits_for_a_retry_does_not_overtake_it)
{
    stub.on("/b", Reply{});
    stub.on("/a/undo", Reply{.status = 503}).then(Reply{});
    const StartedRelay relay(
        with_saga().with("outbox.backoff { kind = linear, base = 700 milliseconds }"));
    await_status(emit("order-1", "Made"), "PROCESSED");
    const std::string first = emit("order-1", "!Made");
    const std::string second = emit("order-1", "!Made");
    await_status(second, "PROCESSED");
    EXPECT_EQ(status_of(first), "PROCESSED");
    EXPECT_EQ(stub.arrivals("/a/undo").size(), 2U);
    EXPECT_EQ(sql->one("select count(*) from aggregate_results where cause_event_id = $1", {first}),
              "2");
}

TEST_P(Cancelling, during_a_compensation_waits_for_it)
{
    stub.on("/b", Reply{.status = 400});
    Reply hang;
    hang.manner = Reply::Manner::hang;
    stub.on("/a/undo", hang);
    const StartedRelay relay(with_saga());
    const std::string event = emit("order-1", "Made");
    ASSERT_TRUE(stub.wait_for_arrivals("/a/undo", 1, patience));
    const std::string cancel = emit("order-1", "!Made");
    let_everything_be_claimed();
    EXPECT_EQ(stub.arrivals("/a/undo").size(), 1U);
    EXPECT_EQ(sql->one("select claim_no from outbox_events where id = $1", {cancel}), "0");
    stub.release();
    await_letter(event, "PROCESSED");
    await_status(cancel, "PROCESSED");
    EXPECT_EQ(stub.arrivals("/a/undo").size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Ordering, Cancelling, ::testing::Values("aggregate", "none"),
                         [](const auto& with) { return std::string(with.param); });

TEST_F(Claiming, moves_nothing_for_a_role_that_lives_in_another_time_zone)
{
    sql->exec("do $$ begin execute format('alter role %I in database %I set timezone = "
              "''America/New_York''', current_user, current_database()); end $$");
    sql = std::make_unique<Sql>(url);
    ASSERT_EQ(sql->one("show timezone"), "America/New_York");
    stub.on("/a", Reply{.status = 503}).then(Reply{});
    const StartedRelay relay(config().route("a", stub).fanout("Made", {"a"}));
    const std::string event = emit("order-1", "Made");
    await_status(event, "PROCESSED");

    const std::vector<Arrival> arrivals = stub.arrivals("/a");
    ASSERT_EQ(arrivals.size(), 2U);
    EXPECT_LT(arrivals[1].at - arrivals[0].at, 3s);
    EXPECT_EQ(sql->one("select $1::timestamptz - created_at < interval '1 ms' and "
                       "created_at - $1::timestamptz < interval '1 ms' from outbox_events",
                       {arrivals[0].header("X-Created-At")}),
              "t");
    EXPECT_TRUE(arrivals[0].header("X-Created-At").ends_with("Z"));
    EXPECT_EQ(sql->one("select bool_and(published_at between now() - interval '1 min' and now()) "
                       "from aggregate_results"),
              "t");
}

} // namespace
} // namespace sagabox::testing
