#include "tests/functional/relay_fixture.hpp"

#include <atomic>
#include <csignal>

#include <fmt/format.h>

namespace sagabox::testing {
namespace {

class Lease : public RelayTest {
protected:
    /// Everything that is written down: two equal ones have nothing between them that wrote.
    [[nodiscard]] std::string everything() const
    {
        return sql->one(
            "select coalesce((select string_agg(e::text, ';' order by id) from outbox_events e), "
            "'')"
            " || coalesce((select string_agg(r::text, ';' order by id) from aggregate_results r), "
            "'')"
            " || coalesce((select string_agg(d::text, ';' order by id) from dead_letter_events d), "
            "'')");
    }

    static Reply hanging(int status = 200)
    {
        Reply reply{.status = status};
        reply.manner = Reply::Manner::hang;
        return reply;
    }
};

TEST_F(Lease, of_a_worker_that_was_thought_dead_lets_it_change_nothing)
{
    stub.on("/a", hanging(500)).then(Reply{});
    const Config shared =
        config().with("outbox.leaseDuration = 2 seconds").route("a", stub).fanout("Made", {"a"});
    const StartedRelay first(shared);
    const std::string event = emit("order-1", "Made");
    ASSERT_TRUE(stub.wait_for_arrivals("/a", 1, patience));
    first.signal(SIGSTOP);

    {
        const StartedRelay second(shared);
        await_status(event, "PROCESSED");
        EXPECT_EQ(stub.arrivals("/a").size(), 2U);
    }
    const std::string before = everything();
    stub.release();
    first.signal(SIGCONT);
    EXPECT_TRUE(first.wait_for_log("lease lost", patience));

    // It goes on with other work, and has touched nothing of this.
    await_status(emit("order-1", "Made"), "PROCESSED");
    EXPECT_TRUE(everything().find(sql->one("select e::text from outbox_events e where id = $1",
                                           {event})) != std::string::npos);
    sql->exec("delete from aggregate_results where event_id <> $1", {event});
    sql->exec("delete from outbox_events where id <> $1", {event});
    EXPECT_EQ(everything(), before);
    EXPECT_EQ(stub.arrivals("/a").size(), 3U);
}

TEST_F(Lease, that_another_worker_holds_is_neither_renewed_nor_ended_by_the_former_one)
{
    Reply slow;
    slow.delay = 2500ms;
    stub.on("/a", hanging(400)).then(slow);
    const Config shared = config().route("a", stub).fanout("Made", {"a"});
    const StartedRelay first(shared);
    const std::string event = emit("order-1", "Made");
    ASSERT_TRUE(stub.wait_for_arrivals("/a", 1, patience));
    first.signal(SIGSTOP);
    const StartedRelay second(shared);
    ASSERT_TRUE(stub.wait_for_arrivals("/a", 2, patience));
    stub.release();
    first.signal(SIGCONT);
    ASSERT_TRUE(first.wait_for_log("lease lost", patience));
    EXPECT_EQ(sql->one("select status || claim_no || (lease_owner like $1) from outbox_events",
                       {fmt::format("%/{}/%", second.pid())}),
              "PROCESSING2true");
    await_status(event, "PROCESSED");
    EXPECT_EQ(sql->one("select count(*) from aggregate_results"), "1");
    EXPECT_EQ(sql->one("select count(*) from dead_letter_events"), "0");
    EXPECT_EQ(stub.arrivals("/a").size(), 2U);
}

TEST_F(Lease, is_renewed_during_a_call_that_lasts_longer)
{
    Reply slow;
    slow.delay = 2500ms;
    stub.on("/a", slow);
    const Config shared = config().route("a", stub).fanout("Made", {"a"});
    const StartedRelay first(shared);
    const StartedRelay second(shared);
    await_status(emit("order-1", "Made"), "PROCESSED");
    EXPECT_EQ(stub.arrivals("/a").size(), 1U);
    EXPECT_EQ(sql->one("select claim_no from outbox_events"), "1");
}

TEST_F(Lease, of_an_event_that_kills_its_worker_ends_in_a_letter)
{
    std::atomic<int> victim = 0;
    stub.on("/a", Reply{});
    stub.on("/a/undo", Reply{});
    stub.on("/killer/undo", Reply{});
    stub.on("/killer", [&victim](const Arrival&) {
        ::kill(victim, SIGKILL);
        return hanging();
    });
    const Config deadly = config()
                              .with("outbox.maxRetries = 2")
                              .with("outbox.leaseDuration = 500 milliseconds")
                              .route("a", stub, Config::Revert::always)
                              .route("killer", stub, Config::Revert::always)
                              .fanout("Made", {"a", "killer"});
    std::string event;
    int deaths = 0;
    for (; deaths < 3; ++deaths) {
        RelayProcess relay(deadly);
        victim = relay.pid();
        if (event.empty()) {
            ASSERT_TRUE(relay.wait_until_started());
            event = emit("order-1", "Made");
        }
        ASSERT_EQ(relay.wait_exit(patience), 128 + SIGKILL) << relay.log();
    }
    const StartedRelay last(deadly);
    await_letter(event, "PROCESSED");
    EXPECT_EQ(sql->one("select reason from dead_letter_events"), "POISONED");
    EXPECT_EQ(stub.arrivals("/killer").size(), 3U);
    EXPECT_EQ(stub.arrivals("/a").size(), 1U);
    // What the lost workers may have done is undone as well, and first.
    const std::vector<Arrival> unsure = stub.arrivals("/killer/undo");
    const std::vector<Arrival> sure = stub.arrivals("/a/undo");
    ASSERT_EQ(unsure.size(), 1U);
    ASSERT_EQ(sure.size(), 1U);
    EXPECT_LE(unsure[0].at, sure[0].at);
}

TEST_F(Lease, of_a_compensation_that_kills_its_worker_ends_with_a_person)
{
    std::atomic<int> victim = 0;
    stub.on("/a", Reply{});
    stub.on("/b", Reply{.status = 400});
    stub.on("/a/undo", [&victim](const Arrival&) {
        ::kill(victim, SIGKILL);
        return hanging();
    });
    const Config deadly = config()
                              .with("outbox.dlq.maxRetries = 1")
                              .with("outbox.leaseDuration = 500 milliseconds")
                              .route("a", stub, Config::Revert::always)
                              .route("b", stub)
                              .fanout("Made", {"a", "b"});
    const std::string event = emit("order-1", "Made");
    for (int deaths = 0; deaths < 2; ++deaths) {
        RelayProcess relay(deadly);
        victim = relay.pid();
        ASSERT_EQ(relay.wait_exit(patience), 128 + SIGKILL) << relay.log();
    }
    const StartedRelay last(deadly);
    await_letter(event, "FAILED");
    EXPECT_EQ(stub.arrivals("/a/undo").size(), 2U);
}

/// The database goes away while a call is under way.
class SavingFails : public Lease {
protected:
    void take_database_away_during_a_call(const RelayProcess& relay)
    {
        ASSERT_TRUE(stub.wait_for_arrivals("/a", 1, patience));
        const Result<void> stopped = Postgres::instance().cluster().stop();
        ASSERT_TRUE(stopped) << stopped.error().text();
        away_ = true;
        stub.release();
        ASSERT_TRUE(relay.wait_for_log("journal", patience)); // it can't write, and says so
    }

    void bring_database_back()
    {
        const Result<void> back = Postgres::instance().cluster().restart();
        ASSERT_TRUE(back) << back.error().text();
        away_ = false;
        sql = std::make_unique<Sql>(url);
    }

    ~SavingFails() override
    {
        if (away_) {
            static_cast<void>(Postgres::instance().cluster().restart());
        }
    }

private:
    bool away_ = false;
};

TEST_F(SavingFails, after_a_call_that_worked_and_its_result_is_written_later)
{
    stub.on("/a", hanging());
    stub.on("/b", Reply{});
    const StartedRelay relay(config()
                                 .with("outbox.leaseDuration = 60 seconds")
                                 .route("a", stub)
                                 .route("b", stub)
                                 .fanout("Made", {"a", "b"}));
    const std::string event = emit("order-1", "Made", R"({"a": {"amount": 100.10}})");
    ASSERT_NO_FATAL_FAILURE(take_database_away_during_a_call(relay));
    EXPECT_EQ(stub.arrivals("/b").size(), 0U);
    ASSERT_NO_FATAL_FAILURE(bring_database_back());
    await_status(event, "PROCESSED");
    EXPECT_EQ(stub.arrivals("/a").size(), 1U);
    EXPECT_EQ(stub.arrivals("/b").size(), 1U);
    EXPECT_EQ(sql->one("select string_agg(destination || ' ' || outcome || ' ' || attempt, ', ' "
                       "order by id) from aggregate_results"),
              "a succeeded 1, b succeeded 1");
    EXPECT_EQ(sql->one("select retry_count from outbox_events"), "0");
}

TEST_F(SavingFails, and_a_kill_then_makes_a_second_call_that_equals_the_first)
{
    stub.on("/a", hanging());
    const Config shared = config().route("a", stub).fanout("Made", {"a"});
    std::string event;
    {
        StartedRelay first(shared);
        event = emit("order-1", "Made", R"({"a": {"z": 1, "amount": 100.10, "n": "\u00e9"}})");
        ASSERT_NO_FATAL_FAILURE(take_database_away_during_a_call(first));
        first.kill();
    }
    ASSERT_NO_FATAL_FAILURE(bring_database_back());
    const StartedRelay second(shared);
    await_status(event, "PROCESSED");
    const std::vector<Arrival> arrivals = stub.arrivals("/a");
    ASSERT_EQ(arrivals.size(), 2U);
    EXPECT_EQ(arrivals[0].body, arrivals[1].body);
    EXPECT_NE(arrivals[0].body.find("100.10"), std::string::npos);
    EXPECT_EQ(arrivals[0].header("Idempotency-Key"), arrivals[1].header("Idempotency-Key"));
}

} // namespace
} // namespace sagabox::testing
