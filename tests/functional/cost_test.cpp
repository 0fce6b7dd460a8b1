// What a saga costs, in figures that do not depend on the machine's mood. They may fall; where one
// has to rise, say why beside it. Times are measured in bench/.
#include "tests/functional/saga_fixture.hpp"

#include <csignal>

namespace sagabox::testing {
namespace {

class Cost : public SagaTest {
protected:
    [[nodiscard]] long figure(const std::string& text) const { return std::stol(sql->one(text)); }
    [[nodiscard]] long wal() const
    {
        return figure("select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint");
    }
    /// Of every session of the database, once it has reported.
    [[nodiscard]] long commits() const
    {
        return figure(
            "select xact_commit from pg_stat_database where datname = current_database()");
    }
};

TEST_F(Cost, of_a_backlog_is_two_kilobytes_of_wal_a_saga_and_many_sagas_a_commit)
{
    constexpr int sagas = 1'000;
    const Config text = abc().with("outbox.batchSize = 500");
    sql->exec(
        "insert into outbox_events (aggregate_id, event_type, payloads) "
        "select 'order-' || g, 'Made', '{\"a\": {\"n\": 1}, \"b\": {\"n\": 1}, \"c\": {\"n\": 1}}' "
        "from generate_series(1, 1000) g");
    sql->exec("checkpoint");
    const long wal_before = wal();
    const long commits_before = commits();
    {
        StartedRelay relay(text);
        await_count("outbox_events where status = 'PROCESSED'", sagas);
        relay.signal(SIGTERM);
        EXPECT_EQ(relay.wait_exit(patience), 0); // its sessions report as they end
    }
    EXPECT_EQ(arrivals("/a") + arrivals("/b") + arrivals("/c"), 3U * sagas);

    const long wal_of_one = (wal() - wal_before) / sagas;
    const long commits_of_all = commits() - commits_before;
    RecordProperty("wal_bytes_per_saga", static_cast<int>(wal_of_one));
    RecordProperty("commits", static_cast<int>(commits_of_all));
    // A claim, three results, an end: 1,720 bytes when this was written, without full pages.
    EXPECT_LE(wal_of_one, 2'600);
    // Claims in batches, and a flush carries whatever has come together: 53 to 62, ours while we
    // looked on among them.
    EXPECT_LE(commits_of_all, 400);
}

} // namespace
} // namespace sagabox::testing
