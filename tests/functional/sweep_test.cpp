#include "tests/functional/relay_fixture.hpp"

#include <fmt/format.h>

namespace sagabox::testing {
namespace {

/// A queue that one sweep does not get through at one poll: it looks at ten windows of 2000 rows.
class Sweep : public RelayTest {
protected:
    static constexpr int rows_per_window = 2'000;
    static constexpr int windows_per_poll = 10;

    /// A statement that claims says so to triggers although it changes no row.
    void count_looks()
    {
        sql->exec("create sequence looks;"
                  "create function count_look() returns trigger language plpgsql as $$ begin "
                  "if current_query() like '%looked_at%' then perform nextval('looks'); end if; "
                  "return null; end $$;"
                  "create trigger count_look before update on outbox_events for each statement "
                  "execute function count_look()");
    }

    [[nodiscard]] int looks() const
    {
        return std::stoi(sql->one("select case when is_called then last_value else 0 end from "
                                  "looks"));
    }

    /// In one transaction: many events that somebody works on, and behind them one whose worker has
    /// died, which only a sweep finds.
    void fill(int busy)
    {
        sql->exec(fmt::format(
            "begin;"
            "insert into outbox_events (aggregate_id, event_type, payloads, status, claim_no, "
            "lease_owner, lease_expires_at) select 'busy-' || i, 'Made', '{{}}', 'PROCESSING', 1, "
            "'somebody', now() + interval '1 hour' from generate_series(1, {}) i;"
            "insert into outbox_events (aggregate_id, event_type, payloads, status, claim_no, "
            "lease_owner, lease_expires_at) values ('left', 'Made', '{{}}', 'PROCESSING', 1, "
            "'the dead', now());"
            "select setval('looks', 1, false);"
            "commit",
            busy));
    }
};

TEST_F(Sweep, of_a_long_queue_goes_on_at_the_next_poll_where_it_stopped)
{
    stub.on("/a", Reply{});
    const StartedRelay relay(
        config()
            .with("outbox.leaseDuration = 30 seconds") // whatever the load, no look counts as late
            .with("outbox.useListenNotify = false")
            .route("a", stub)
            .fanout("Made", {"a"}));
    // It has looked for what was there at the start, so that from now on only sweeps look.
    await_status(emit("first", "Made"), "PROCESSED");
    count_looks();
    constexpr int polls = 2;
    fill(polls * windows_per_poll * rows_per_window + 1);
    sql->await("select status from outbox_events where aggregate_id = 'left'", "PROCESSED");
    // One window is its own, one may have begun before, and a poll may pass until this is asked.
    EXPECT_LE(looks(), (polls + 1) * windows_per_poll + 2);
    EXPECT_GT(looks(), polls * windows_per_poll);
    EXPECT_EQ(stub.arrivals("/a").size(), 2U);
}

} // namespace
} // namespace sagabox::testing
