#include "tests/functional/relay_fixture.hpp"

#include <csignal>

namespace sagabox::testing {
namespace {

class Shutdown : public RelayTest {
protected:
    static Reply hanging()
    {
        Reply reply;
        reply.manner = Reply::Manner::hang;
        return reply;
    }

    /// Waits until the relay's workers know that it stops: the listener is ended after they are
    /// told.
    void await_drain() const
    {
        sql->await("select count(*) from pg_stat_activity where application_name = 'sagabox "
                   "listener' and datname = current_database()",
                   "0");
    }

    /// A relay that listens, so that its listener can be seen to end.
    void await_listener() const
    {
        sql->await("select count(*) from pg_stat_activity where application_name = 'sagabox "
                   "listener' and datname = current_database()",
                   "1");
    }

    static constexpr const char* stopping = "stopping: no new claims";
};

TEST_F(Shutdown, records_the_calls_under_way_and_hands_the_rest_back_at_once)
{
    stub.on("/a", hanging());
    stub.on("/b", Reply{});
    const Config shared = config()
                              .with("outbox.leaseDuration = 60 seconds")
                              .with("outbox.shutdownGrace = 15 seconds")
                              .route("a", stub)
                              .route("b", stub)
                              .fanout("Made", {"a", "b"});
    StartedRelay first(shared);
    const std::string begun = emit("order-1", "Made");
    ASSERT_TRUE(stub.wait_for_arrivals("/a", 1, patience));
    await_listener();
    first.signal(SIGTERM);
    ASSERT_TRUE(first.wait_for_log(stopping, patience));
    await_drain();
    const std::string late = emit("order-2", "Made");
    stub.release();
    ASSERT_EQ(first.wait_exit(10s), 0);
    EXPECT_EQ(sql->one("select string_agg(destination || ' ' || outcome, ', ') from "
                       "aggregate_results"),
              "a succeeded");
    EXPECT_EQ(sql->rows("select status, lease_owner from outbox_events order by id"),
              (std::vector<Sql::Row>{{"PENDING", ""}, {"PENDING", ""}}));
    EXPECT_EQ(stub.arrivals("/a").size(), 1U);
    EXPECT_EQ(stub.arrivals("/b").size(), 0U);

    const StartedRelay second(shared);
    await_status(begun, "PROCESSED");
    await_status(late, "PROCESSED");
    EXPECT_EQ(stub.arrivals("/a").size(), 2U);
    EXPECT_EQ(stub.arrivals("/b").size(), 2U);
    EXPECT_EQ(sql->one("select max(retry_count) from outbox_events"), "0");
}

TEST_F(Shutdown, hands_a_compensation_back_between_two_reverts)
{
    stub.on("/a", Reply{});
    stub.on("/b", Reply{});
    stub.on("/c", Reply{.status = 400});
    stub.on("/a/undo", Reply{});
    stub.on("/b/undo", hanging());
    const Config shared = config()
                              .with("outbox.leaseDuration = 60 seconds")
                              .route("a", stub, Config::Revert::always)
                              .route("b", stub, Config::Revert::always)
                              .route("c", stub)
                              .fanout("Made", {"a", "b", "c"});
    StartedRelay first(shared);
    const std::string event = emit("order-1", "Made");
    ASSERT_TRUE(stub.wait_for_arrivals("/b/undo", 1, patience));
    await_listener();
    first.signal(SIGTERM);
    ASSERT_TRUE(first.wait_for_log(stopping, patience));
    await_drain();
    stub.release();
    ASSERT_EQ(first.wait_exit(10s), 0);
    EXPECT_EQ(sql->rows("select status, lease_owner from dead_letter_events"),
              (std::vector<Sql::Row>{{"PENDING", ""}}));
    EXPECT_EQ(stub.arrivals("/a/undo").size(), 0U);

    const StartedRelay second(shared);
    await_letter(event, "PROCESSED");
    EXPECT_EQ(stub.arrivals("/b/undo").size(), 1U);
    EXPECT_EQ(stub.arrivals("/a/undo").size(), 1U);
}

TEST_F(Shutdown, cuts_calls_after_the_grace_and_writes_down_that_their_outcome_is_unknown)
{
    stub.on("/a", hanging());
    StartedRelay relay(config()
                           .with("outbox.leaseDuration = 60 seconds")
                           .with("outbox.shutdownGrace = 300 milliseconds")
                           .route("a", stub)
                           .fanout("Made", {"a"}));
    const std::string event = emit("order-1", "Made");
    ASSERT_TRUE(stub.wait_for_arrivals("/a", 1, patience));
    relay.signal(SIGTERM);
    ASSERT_EQ(relay.wait_exit(5s), 0);
    EXPECT_EQ(sql->one("select outcome from aggregate_results"), "unknown");
    EXPECT_EQ(status_of(event), "PENDING");
    EXPECT_EQ(sql->one("select lease_owner is null from outbox_events"), "t");
}

class SecondSignal : public Shutdown, public ::testing::WithParamInterface<int> {};

TEST_P(SecondSignal, ends_the_relay_now)
{
    stub.on("/a", hanging());
    StartedRelay relay(config()
                           .with("outbox.shutdownGrace = 60 seconds")
                           .with("outbox.http.routes.a.timeout = 60 seconds")
                           .route("a", stub)
                           .fanout("Made", {"a"}));
    static_cast<void>(emit("order-1", "Made"));
    ASSERT_TRUE(stub.wait_for_arrivals("/a", 1, patience));
    relay.signal(GetParam());
    ASSERT_TRUE(relay.wait_for_log(stopping, patience));
    relay.signal(GetParam());
    EXPECT_EQ(relay.wait_exit(5s), 128 + GetParam());
}

INSTANTIATE_TEST_SUITE_P(Either, SecondSignal, ::testing::Values(SIGTERM, SIGINT),
                         [](const auto& with) {
                             return std::string(with.param == SIGTERM ? "SIGTERM" : "SIGINT");
                         });

TEST_F(Shutdown, of_an_idle_relay_is_immediate)
{
    StartedRelay relay(
        config().with("outbox.poolSize = 3").with("outbox.pollInterval = 60 seconds"));
    relay.signal(SIGINT);
    EXPECT_EQ(relay.wait_exit(5s), 0);
    EXPECT_TRUE(relay.wait_for_log("relay: stopped", 1s));
}

} // namespace
} // namespace sagabox::testing
