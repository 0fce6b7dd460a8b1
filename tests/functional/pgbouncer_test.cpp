#include "tests/functional/pgbouncer_fixture.hpp"
#include "tests/functional/saga_fixture.hpp"

#include <memory>

namespace sagabox::testing {
namespace {

/// Everything through PgBouncer in transaction mode, where no session is anybody's own.
class PooledRelay : public SagaTest {
protected:
    void SetUp() override
    {
        const std::string program = find_pgbouncer();
        if (program.empty()) {
            GTEST_SKIP() << "PgBouncer is not installed; scripts/install-deps --tests installs it";
        }
        bouncer = std::make_unique<PgBouncer>(program);
        pooled = bouncer->url(sql->one("select current_database()"));
        producer = std::make_unique<Sql>(pooled);
    }

    [[nodiscard]] Config through_pooler()
    {
        return abc()
            .with(fmt::format("database.url = \"{}\"", pooled))
            .with("database.preparedStatements = false");
    }

    std::string emit_pooled(const std::string& aggregate, const std::string& type) const
    {
        return producer->one("select outbox_emit($1, $2, '{}', $1 || $2)", {aggregate, type});
    }

    /// A saga to its end, one that fails and is undone, one that is cancelled.
    void expect_sagas_of_every_kind() const
    {
        const std::string plain = emit_pooled("plain", "Made");
        await_status(plain, "PROCESSED");
        const std::string cancelled = emit_pooled("cancelled", "Made");
        await_status(cancelled, "PROCESSED");
        const std::string cancel = emit_pooled("cancelled", "!Made");
        await_status(cancel, "PROCESSED");
        EXPECT_EQ(results(plain), "a succeeded, b succeeded, c succeeded");
        EXPECT_EQ(results(cancelled), "a succeeded, b succeeded, c succeeded, c.revert succeeded, "
                                      "b.revert succeeded, a.revert succeeded");
    }

    std::unique_ptr<PgBouncer> bouncer;
    std::string pooled;
    std::unique_ptr<Sql> producer;
};

TEST_F(PooledRelay, carries_out_compensates_and_cancels_without_a_direct_connection)
{
    const Config settings = through_pooler().with("outbox.maxRetries = 0");
    const StartedRelay first(settings);
    const StartedRelay second(settings);
    expect_sagas_of_every_kind();
    stub.on("/c", answer(400));
    const std::string failing = emit_pooled("failing", "Made");
    await_end(failing, "PROCESSED");
    EXPECT_EQ(results(failing), "a succeeded, b succeeded, c rejected, b.revert succeeded, "
                                "a.revert succeeded");
    EXPECT_EQ(arrivals("/a"), 3U);
    EXPECT_EQ(arrivals("/a/undo"), 2U);
}

TEST_F(PooledRelay, hears_events_by_a_direct_connection_of_its_listener)
{
    const StartedRelay relay(through_pooler()
                                 .with(fmt::format("database.listenUrl = \"{}\"", url))
                                 .with("outbox.pollInterval = 60 seconds")
                                 .with("outbox.leaseDuration = 30 seconds"));
    for (int i = 0; i < 5; ++i) {
        const auto begun_at = std::chrono::steady_clock::now();
        await_status(emit_pooled(fmt::format("order-{}", i), "Made"), "PROCESSED");
        EXPECT_LT(std::chrono::steady_clock::now() - begun_at, 5s);
    }
}

TEST_F(PooledRelay, finds_out_that_its_listener_is_deaf_and_says_what_helps)
{
    const StartedRelay relay(through_pooler());
    EXPECT_TRUE(relay.wait_for_log("Give database.listenUrl a direct address", patience));
    await_status(emit_pooled("order-1", "Made"), "PROCESSED");
    EXPECT_EQ(sql->one("select count(*) from pg_locks where locktype = 'advisory'"), "0")
        << "a sleeper's lock of somebody who hears nothing makes every producer notify";
}

TEST_F(PooledRelay, says_nothing_of_the_kind_with_a_direct_connection_for_its_listener)
{
    const StartedRelay relay(
        through_pooler().with(fmt::format("database.listenUrl = \"{}\"", url)));
    sql->await("select count(*) > 0 from pg_locks where locktype = 'advisory' and granted", "t");
    EXPECT_EQ(relay.count_in_log("listenUrl"), 0U);
}

TEST_F(PooledRelay, starts_again_where_another_was_killed_in_a_call)
{
    const Config settings = through_pooler();
    stub.on("/b", hanging()).then(answer(200));
    std::string event;
    {
        StartedRelay doomed(settings);
        event = emit_pooled("order-1", "Made");
        ASSERT_TRUE(stub.wait_for_arrivals("/b", 1, patience));
        doomed.kill();
    }
    const StartedRelay next(settings);
    await_status(event, "PROCESSED");
    EXPECT_EQ(arrivals("/a"), 1U);
    EXPECT_EQ(arrivals("/b"), 2U);
    EXPECT_EQ(arrivals("/c"), 1U);
    EXPECT_EQ(sql->one("select count(*) from aggregate_results where interrupted = 1"), "1");
}

} // namespace
} // namespace sagabox::testing
