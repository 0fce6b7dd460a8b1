#include "tests/functional/relay_fixture.hpp"

namespace sagabox::testing {
namespace {

/// Relays that poll too seldom to help: what is quick was not left to a poll.
class Punctual : public RelayTest {
protected:
    [[nodiscard]] Config seldom_polling() const
    {
        return config()
            .with("outbox.pollInterval = 60 seconds")
            .with("outbox.dlq.pollInterval = 60 seconds")
            .with("outbox.leaseDuration = 30 seconds")
            .with("outbox.cleanupInterval = 60 seconds");
    }

    /// Waits for a try of the listener to take the lock of sleepers that is over, and was begun
    /// after `moment`; gives the moment at which it was begun.
    [[nodiscard]] std::string await_try_for_lock(const std::string& moment) const
    {
        const std::string tries = "from pg_stat_activity where datname = current_database() and "
                                  "application_name = 'sagabox listener' and state = 'idle' and "
                                  "query like '%pg_advisory_lock(7316%' and query_start > '" +
                                  moment + "'";
        sql->await("select count(*) " + tries, "1");
        return sql->one("select coalesce(max(query_start), now()) " + tries);
    }
};

TEST_F(Punctual, hears_of_an_event_whose_transaction_began_while_nobody_slept)
{
    stub.on("/a", Reply{});
    Sql producer(url);
    producer.exec("begin");
    const std::string event =
        producer.one("insert into outbox_events (aggregate_id, event_type, payloads) "
                     "values ('order-1', 'Made', '{}') returning id");
    const StartedRelay relay(seldom_polling().route("a", stub).fanout("Made", {"a"}));
    // It rings for nobody at its commit, so it must be looked for when the lock was got, not when
    // it was tried for in vain.
    std::string moment = "-infinity";
    for (int tries = 0; tries < 3; ++tries) {
        moment = await_try_for_lock(moment);
    }
    producer.exec("commit");
    const auto committed_at = std::chrono::steady_clock::now();
    await_status(event, "PROCESSED");
    EXPECT_LT(std::chrono::steady_clock::now() - committed_at, 5s);
}

TEST_F(Punctual, retries_a_revert_when_it_falls_due)
{
    stub.on("/a", Reply{});
    stub.on("/a/undo", Reply{.status = 503}).then(Reply{});
    stub.on("/b", Reply{.status = 400});
    const StartedRelay relay(seldom_polling()
                                 .with("outbox.backoff { kind = linear, base = 300 milliseconds }")
                                 .route("a", stub, Config::Revert::always)
                                 .route("b", stub)
                                 .fanout("Made", {"a", "b"}));
    await_letter(emit("order-1", "Made"), "PROCESSED");
    const std::vector<Arrival> undone = stub.arrivals("/a/undo");
    ASSERT_EQ(undone.size(), 2U);
    EXPECT_GE(undone[1].at - undone[0].at, 300ms);
    EXPECT_LT(undone[1].at - undone[0].at, 3s);
}

} // namespace
} // namespace sagabox::testing
