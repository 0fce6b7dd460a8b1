#include "tests/functional/relay_fixture.hpp"

#include <csignal>

#include <fmt/format.h>
#include <sys/wait.h>

namespace sagabox::testing {
namespace {

/// Two relays with calls under way, all stopped for longer than their leases: a suspended machine.
class Standstill : public RelayTest {
protected:
    static Reply hanging()
    {
        Reply reply;
        reply.manner = Reply::Manner::hang;
        return reply;
    }

    /// `Made` hangs in its only step, and `Undone` while it is undone.
    [[nodiscard]] Config shared()
    {
        stub.on("/a", hanging());
        stub.on("/b", Reply{});
        stub.on("/b/undo", hanging());
        stub.on("/c", Reply{.status = 400});
        return config()
            .with("outbox.leaseDuration = 4 seconds")
            .route("a", stub)
            .route("b", stub, Config::Revert::always)
            .route("c", stub)
            .fanout("Made", {"a"})
            .fanout("Undone", {"b", "c"});
    }

    /// Until all its threads have stopped: till then it may still claim.
    static void stop(const RelayProcess& relay)
    {
        relay.signal(SIGSTOP);
        siginfo_t stopped;
        ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(relay.pid()), &stopped, WSTOPPED), 0);
    }

    /// Gives work to the only relay that runs now, and waits until it is in the middle of it.
    void give_work()
    {
        ++batches;
        sql->exec("insert into outbox_events (aggregate_id, event_type, payloads) select "
                  "gen_random_uuid()::text, case when i <= 4 then 'Made' else 'Undone' end, '{}' "
                  "from generate_series(1, 6) i");
        ASSERT_TRUE(stub.wait_for_arrivals("/a", 4 * batches, patience));
        ASSERT_TRUE(stub.wait_for_arrivals("/b/undo", 2 * batches, patience));
    }

    void await_expiry() const
    {
        sql->await("select (select count(*) from outbox_events where status = 'PROCESSING' and "
                   "lease_expires_at < now()) + (select count(*) from dead_letter_events where "
                   "status = 'PROCESSING' and lease_expires_at < now())",
                   std::to_string(6 * batches));
    }

    /// Waits until a worker that runs has looked at the whole queue after `moment`. It looks at
    /// letters before.
    void await_sweep_after(const std::string& moment) const
    {
        sql->await(fmt::format("select count(*) > 0 from pg_stat_activity where datname = "
                               "current_database() and application_name like 'sagabox worker % "
                               "claims' and state = 'idle' and query like '%looked_at%' and "
                               "query_start > '{}'",
                               moment),
                   "t");
    }

    std::size_t batches = 0;
};

TEST_F(Standstill, leaves_every_answer_to_the_worker_that_asked_for_it)
{
    const Config text = shared();
    const StartedRelay first(text);
    const StartedRelay second(text);
    stop(second);
    ASSERT_NO_FATAL_FAILURE(give_work());
    stop(first);
    second.signal(SIGCONT);
    ASSERT_NO_FATAL_FAILURE(give_work());
    stop(second);
    await_expiry();
    stub.release();

    const std::string continued_at = sql->one("select clock_timestamp()");
    first.signal(SIGCONT);
    await_sweep_after(continued_at);
    second.signal(SIGCONT);
    await_count("outbox_events where status = 'PROCESSED'", 12);
    await_count("dead_letter_events where status = 'PROCESSED'", 4);

    EXPECT_EQ(stub.arrivals("/a").size(), 8U);
    EXPECT_EQ(stub.arrivals("/b/undo").size(), 4U);
    EXPECT_EQ(sql->one("select max(claim_no) || ' ' || max(deaths) from outbox_events"), "1 0");
    EXPECT_EQ(sql->one("select max(claim_no) || ' ' || max(deaths) from dead_letter_events"),
              "1 0");
    for (const int event : {1, 2, 3, 4}) {
        EXPECT_TRUE(first.wait_for_log(fmt::format("event {} Made", event), patience));
        EXPECT_TRUE(second.wait_for_log(fmt::format("event {} Made", event + 6), patience));
    }
    EXPECT_EQ(first.count_in_log("lease lost") + second.count_in_log("lease lost"), 0U);
}

TEST_F(Standstill, of_a_relay_that_does_not_come_back_holds_its_work_up_only_for_a_while)
{
    const Config text = shared();
    StartedRelay first(text);
    const StartedRelay second(text);
    stop(second);
    ASSERT_NO_FATAL_FAILURE(give_work());
    first.kill();
    await_expiry();
    stub.release();
    second.signal(SIGCONT);
    await_count("outbox_events where status = 'PROCESSED'", 6);
    await_count("dead_letter_events where status = 'PROCESSED'", 2);
    EXPECT_EQ(stub.arrivals("/a").size(), 8U);
}

} // namespace
} // namespace sagabox::testing
