// The public header comes first and alone: it must bring all that it needs.
#include "sagabox/client.hpp"

#include <gtest/gtest.h>

namespace client = sagabox::client;

namespace {

// Never called without a database; that it compiles is the test.
std::int64_t place_order(pqxx::transaction_base& transaction)
{
    return client::with_event_factory(
        transaction, [](pqxx::transaction_base& tx) { return tx.exec1("select 1")[0].as<long>(); },
        [](long id) {
            return client::Event{.aggregate_id = std::to_string(id), .type = "OrderCreated"};
        });
}

void touch_order(pqxx::transaction_base& transaction)
{
    client::with_event(transaction, client::cancel("1", "OrderCreated"),
                       [](pqxx::transaction_base& tx) { tx.exec0("update orders set id = id"); });
}

TEST(ClientHeader, is_enough_to_emit_events)
{
    EXPECT_NE(&place_order, nullptr);
    EXPECT_NE(&touch_order, nullptr);
    EXPECT_EQ(client::cancel("1", "OrderCreated").type, "!OrderCreated");
}

} // namespace
