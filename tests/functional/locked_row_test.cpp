#include "tests/functional/relay_fixture.hpp"

#include <csignal>
#include <map>

namespace sagabox::testing {
namespace {

/// Somebody else's transaction has locked an event that is worked on, for longer than its lease.
class LockedRow : public RelayTest {
protected:
    static Reply hanging()
    {
        Reply reply;
        reply.manner = Reply::Manner::hang;
        return reply;
    }

    void lock(const std::string& event)
    {
        person.exec("begin");
        static_cast<void>(
            person.one("select id from outbox_events where id = $1 for update", {event}));
    }
    void unlock() { person.exec("commit"); }

    /// Waits until the lease has run out by `longer`.
    void await_expiry(const std::string& event, const std::string& longer) const
    {
        sql->await("select lease_expires_at + interval '" + longer +
                       "' < now() from outbox_events where id = " + event,
                   "t");
    }

    void await_listeners(const std::string& count) const
    {
        sql->await("select count(*) from pg_stat_activity where application_name = 'sagabox "
                   "listener' and datname = current_database()",
                   count);
    }

    Sql person{url};
};

TEST_F(LockedRow, keeps_no_other_lease_of_its_worker_from_being_renewed)
{
    stub.on("/a", hanging());
    const Config shared =
        config().with("outbox.leaseDuration = 2 seconds").route("a", stub).fanout("Made", {"a"});
    const StartedRelay first(shared);
    const std::string locked = emit("locked", "Made");
    for (int i = 0; i < 5; ++i) {
        static_cast<void>(emit("free-" + std::to_string(i), "Made"));
    }
    ASSERT_TRUE(stub.wait_for_arrivals("/a", 6, patience));
    const StartedRelay second(shared);
    lock(locked);
    await_expiry(locked, "2 s");
    EXPECT_EQ(sql->one("select count(*) from outbox_events where aggregate_id like 'free-%' and "
                       "claim_no = 1 and lease_expires_at > now()"),
              "5");
    unlock();
    stub.release();
    await_count("outbox_events where status = 'PROCESSED'", 6);

    std::map<std::string, int> calls;
    for (const Arrival& arrival : stub.arrivals("/a")) {
        ++calls[arrival.header("X-Event-Id")];
    }
    for (const auto& [event, count] : calls) {
        EXPECT_TRUE(event == locked || count == 1) << event << " was called " << count << " times";
    }
    EXPECT_EQ(sql->one("select max(claim_no) from outbox_events where aggregate_id like 'free-%'"),
              "1");
}

class Stopping : public LockedRow, public ::testing::WithParamInterface<const char*> {};

TEST_P(Stopping, while_a_step_waits_for_its_lease_writes_down_no_call_that_was_not_made)
{
    stub.on("/a", hanging());
    stub.on("/b", Reply{});
    StartedRelay relay(config()
                           .with("outbox.enableStaleEventCleanup = false")
                           .with(std::string("outbox.shutdownGrace = ") + GetParam())
                           .route("a", stub)
                           .route("b", stub)
                           .fanout("Made", {"a", "b"}));
    const std::string event = emit("order-1", "Made");
    ASSERT_TRUE(stub.wait_for_arrivals("/a", 1, patience));
    await_listeners("1");
    // No call leaves under a lease that could not be renewed: the second waits.
    lock(event);
    await_expiry(event, "0 s");
    stub.release();
    await_count("aggregate_results", 1);
    relay.signal(SIGTERM);
    ASSERT_TRUE(relay.wait_for_log("stopping: no new claims", patience));
    await_listeners("0");
    unlock();
    ASSERT_EQ(relay.wait_exit(10s), 0);
    EXPECT_EQ(stub.arrivals("/b").size(), 0U);
    EXPECT_EQ(sql->one("select string_agg(destination || ' ' || outcome, ', ') from "
                       "aggregate_results"),
              "a succeeded");
    EXPECT_EQ(sql->rows("select status, lease_owner, deaths from outbox_events"),
              (std::vector<Sql::Row>{{"PENDING", "", "0"}}));
}

INSTANTIATE_TEST_SUITE_P(Grace, Stopping, ::testing::Values("5 seconds", "0 seconds"),
                         [](const auto& with) {
                             return std::string(with.param == std::string("0 seconds") ? "none"
                                                                                       : "long");
                         });

} // namespace
} // namespace sagabox::testing
