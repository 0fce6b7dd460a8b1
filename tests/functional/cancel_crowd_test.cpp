#include "tests/functional/saga_fixture.hpp"

namespace sagabox::testing {
namespace {

class CancelCrowd : public SagaTest {};

TEST_F(CancelCrowd, of_waiting_events_ends_each_of_them_while_new_ones_keep_coming)
{
    stub.on("/a", answer(503));
    stub.on("/b", answer(200));
    const StartedRelay relay(config()
                                 .with("outbox.backoff { base = 60 seconds, max = 60 seconds }")
                                 .with("outbox.poolSize = 1")
                                 .with("outbox.pollInterval = 20 milliseconds")
                                 .route("a", stub)
                                 .route("b", stub)
                                 .fanout("Made", {"a"})
                                 .fanout("Other", {"b"}));
    sql->exec("insert into outbox_events (aggregate_id, event_type, payloads) "
              "select 'order-' || i, 'Made', '{}' from generate_series(1, 200) i");
    await_count("outbox_events where status = 'PENDING' and next_retry_at > now()", 200);
    sql->exec("insert into outbox_events (aggregate_id, event_type, payloads) "
              "select 'order-' || i, '!Made', '{}' from generate_series(1, 200) i");
    for (int i = 0; i < 50; ++i) {
        sql->exec("insert into outbox_events (aggregate_id, event_type, payloads) "
                  "select 'other-' || i, 'Other', '{}' from generate_series(1, 20) i");
    }
    await_count("outbox_events where status = 'CANCELLED' and event_type = 'Made'", 200);
    await_count("outbox_events where status = 'PROCESSED' and event_type = '!Made'", 200);
    await_count("outbox_events where status = 'PROCESSED' and event_type = 'Other'", 1000);
}

} // namespace
} // namespace sagabox::testing
