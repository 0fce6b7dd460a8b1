#include "tests/functional/relay_fixture.hpp"

#include <set>

namespace sagabox::testing {
namespace {

using Claiming = RelayTest;

TEST_F(Claiming, takes_an_event_that_was_committed_before_the_start)
{
    stub.on("/a", Reply{});
    const std::string event = emit("order-1", "Made");
    StartedRelay relay(config().route("a", stub).fanout("Made", {"a"}));
    await_status(event, "PROCESSED");
    EXPECT_EQ(stub.arrivals("/a").size(), 1U);
}

TEST_F(Claiming, takes_each_of_a_hundred_rows_of_one_transaction_once)
{
    stub.on("/a", Reply{});
    StartedRelay relay(config().route("a", stub).fanout("Made", {"a"}));
    sql->exec("insert into outbox_events (aggregate_id, event_type, payloads) "
              "select 'order-' || i, 'Made', '{}' from generate_series(1, 100) i");
    await_count("outbox_events where status = 'PROCESSED'", 100);
    EXPECT_EQ(stub.arrivals("/a").size(), 100U);
}

} // namespace
} // namespace sagabox::testing
