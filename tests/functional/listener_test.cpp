#include "tests/functional/relay_fixture.hpp"

namespace sagabox::testing {
namespace {

class Listener : public RelayTest {
protected:
    Listener() { stub.on("/a", Reply{}); }

    /// Polls too seldom to help: what is quick was heard.
    [[nodiscard]] Config hearing() const
    {
        return config()
            .with("outbox.pollInterval = 60 seconds")
            .with("outbox.leaseDuration = 30 seconds")
            .route("a", stub)
            .fanout("Made", {"a"});
    }

    void expect_quick(const std::string& event) const
    {
        const auto begun_at = std::chrono::steady_clock::now();
        await_status(event, "PROCESSED");
        EXPECT_LT(std::chrono::steady_clock::now() - begun_at, 5s);
    }

    [[nodiscard]] std::string listeners() const
    {
        return sql->one("select count(*) from pg_stat_activity where application_name = 'sagabox "
                        "listener' and datname = current_database()");
    }

    void cut_listener() const
    {
        ASSERT_EQ(sql->one("select count(pg_terminate_backend(pid)) from pg_stat_activity where "
                           "application_name = 'sagabox listener' and datname = "
                           "current_database()"),
                  "1");
    }
};

TEST_F(Listener, hears_each_event_that_comes_to_an_idle_relay)
{
    const StartedRelay relay(hearing().with("outbox.poolSize = 3"));
    for (int i = 0; i < 20; ++i) {
        expect_quick(emit("order-1", "Made"));
    }
    EXPECT_EQ(stub.arrivals("/a").size(), 20U);
}

TEST_F(Listener, hears_events_that_came_before_it_could_listen)
{
    const std::string before = emit("order-1", "Made");
    const StartedRelay relay(hearing());
    expect_quick(before);
}

TEST_F(Listener, hears_again_after_its_connection_was_cut)
{
    const StartedRelay relay(hearing());
    expect_quick(emit("order-1", "Made"));
    ASSERT_NO_FATAL_FAILURE(cut_listener());
    const std::string meanwhile = emit("order-1", "Made");
    EXPECT_TRUE(relay.wait_for_log("LISTEN was lost", patience));
    expect_quick(meanwhile);
    for (int i = 0; i < 3; ++i) {
        expect_quick(emit("order-1", "Made"));
    }
    EXPECT_EQ(listeners(), "1");
}

TEST_F(Listener, that_cannot_come_back_leaves_the_work_to_polling)
{
    const StartedRelay relay(config().route("a", stub).fanout("Made", {"a"}));
    await_status(emit("order-1", "Made"), "PROCESSED");
    Sql other(Postgres::instance().cluster().url("postgres"));
    const std::string database = sql->one("select current_database()");
    other.exec("alter database " + database + " allow_connections false");
    ASSERT_NO_FATAL_FAILURE(cut_listener());
    EXPECT_TRUE(relay.wait_for_log("listener cannot reach the database", patience));
    for (int i = 0; i < 3; ++i) {
        await_status(emit("order-1", "Made"), "PROCESSED");
    }
    EXPECT_EQ(listeners(), "0");
    EXPECT_EQ(relay.count_in_log("listener cannot reach the database"), 1U);
    other.exec("alter database " + database + " allow_connections true");
    EXPECT_TRUE(relay.wait_for_log("listener is connected to", patience));
    await_status(emit("order-1", "Made"), "PROCESSED");
}

TEST_F(Listener, is_not_needed)
{
    const StartedRelay relay(
        config().with("outbox.useListenNotify = false").route("a", stub).fanout("Made", {"a"}));
    for (int i = 0; i < 3; ++i) {
        expect_quick(emit("order-1", "Made"));
    }
    EXPECT_EQ(listeners(), "0");
}

TEST_F(Listener, hears_of_a_letter_that_a_person_gives_back)
{
    stub.on("/b", Reply{.status = 400});
    stub.on("/a/undo", Reply{.status = 400}).then(Reply{});
    const StartedRelay relay(hearing()
                                 .with("outbox.dlq.pollInterval = 60 seconds")
                                 .route("a", stub, Config::Revert::always)
                                 .route("b", stub)
                                 .fanout("Made", {"a", "b"}));
    const std::string event = emit("order-1", "Made");
    await_letter(event, "FAILED");
    sql->exec("update dead_letter_events set status = 'PENDING', next_retry_at = null, "
              "forgiven_up_to = (select max(id) from aggregate_results)");
    await_letter(event, "PROCESSED");
    EXPECT_EQ(stub.arrivals("/a/undo").size(), 2U);
}

} // namespace
} // namespace sagabox::testing
