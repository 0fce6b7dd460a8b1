#include "tests/functional/saga_fixture.hpp"

namespace sagabox::testing {
namespace {

using ::testing::HasSubstr;

/// The application's own table, which the outcome SQL changes.
class OutcomeSql : public SagaTest {
protected:
    OutcomeSql()
    {
        sql->exec("create table shop_orders (id bigint primary key, state text, note text);"
                  "insert into shop_orders select i, 'NEW', null from generate_series(1, 60) i");
    }

    Config with_outcomes()
    {
        return abc().with(R"(outbox.outcomes.Made {
            completed   = "update shop_orders set state = 'CONFIRMED', note = :event_type || ':' || :event_id where id = :aggregate_id::bigint"
            compensated = "update shop_orders set state = 'PAYMENT_FAILED' where id = :aggregate_id::bigint and state <> 'CANCELLED'"
            failed      = "update shop_orders set state = 'TROUBLE', note = :reason where id = :aggregate_id::bigint"
        })");
    }

    std::string state_of(const std::string& order) const
    {
        return sql->one("select state from shop_orders where id = $1", {order});
    }

    /// Whether the order was last changed by the very transaction that last changed the other row.
    bool changed_with(const std::string& order, const std::string& other_row) const
    {
        return sql->one("select (select xmin::text from shop_orders where id = $1) = (select "
                        "xmin::text from " +
                            other_row + ")",
                        {order}) == "t";
    }
};

TEST_F(OutcomeSql, runs_in_the_transaction_that_completes_the_event)
{
    StartedRelay relay(with_outcomes());
    const std::string event = emit("1", "Made");
    await_status(event, "PROCESSED");
    EXPECT_EQ(state_of("1"), "CONFIRMED");
    EXPECT_EQ(sql->one("select note from shop_orders where id = 1"), "Made:" + event);
    EXPECT_TRUE(changed_with("1", "outbox_events where id = " + event));
    EXPECT_EQ(state_of("2"), "NEW");
}

TEST_F(OutcomeSql, runs_in_the_transaction_that_ends_the_compensation_and_not_before)
{
    Config text = with_outcomes();
    stub.on("/c", answer(400));
    stub.on("/b/undo", hanging());
    StartedRelay relay(text);
    const std::string event = emit("1", "Made");
    ASSERT_TRUE(stub.wait_for_arrivals("/b/undo", 1, patience));
    EXPECT_EQ(state_of("1"), "NEW");
    stub.release();
    await_end(event, "PROCESSED");
    EXPECT_EQ(state_of("1"), "PAYMENT_FAILED");
    EXPECT_TRUE(changed_with("1", "dead_letter_events where original_event_id = " + event));
}

TEST_F(OutcomeSql, runs_in_the_transaction_that_calls_for_a_person)
{
    Config text = with_outcomes();
    stub.on("/c", answer(400));
    stub.on("/b/undo", answer(400));
    StartedRelay relay(text);
    const std::string event = emit("1", "Made");
    await_end(event, "FAILED");
    EXPECT_EQ(state_of("1"), "TROUBLE");
    EXPECT_THAT(sql->one("select note from shop_orders where id = 1"), HasSubstr("b.revert"));
    EXPECT_TRUE(changed_with("1", "dead_letter_events where original_event_id = " + event));
}

TEST_F(OutcomeSql, sees_an_aggregate_as_a_value_whatever_it_holds)
{
    const std::string nasty = "x'; drop table shop_orders; --";
    StartedRelay relay(with_outcomes().with(
        R"(outbox.outcomes.Made.completed = "update shop_orders set note = :aggregate_id where id = 1")"));
    const std::string event = emit(nasty, "Made");
    await_status(event, "PROCESSED");
    EXPECT_EQ(sql->one("select note from shop_orders where id = 1"), nasty);
}

TEST_F(OutcomeSql, that_fails_harms_nobody_else_and_is_tried_again)
{
    sql->exec("alter table shop_orders add constraint picky check (id <> 30 or state = 'NEW')");
    StartedRelay relay(with_outcomes());
    sql->exec("insert into outbox_events (aggregate_id, event_type, payloads) "
              "select i, 'Made', '{}' from generate_series(1, 60) i");
    sql->await("select count(*) from shop_orders where state = 'CONFIRMED'", "59");
    const std::string event = sql->one("select id from outbox_events where aggregate_id = '30'");
    await_status(event, "PENDING");
    EXPECT_THAT(sql->one("select last_error from outbox_events where id = $1", {event}),
                HasSubstr("picky"));
    EXPECT_TRUE(relay.wait_for_log(
        fmt::format("event {}: PostgreSQL refused the outcome SQL of Made", event), patience));
    EXPECT_EQ(state_of("30"), "NEW");

    sql->exec("alter table shop_orders drop constraint picky");
    await_status(event, "PROCESSED");
    EXPECT_EQ(state_of("30"), "CONFIRMED");
    EXPECT_EQ(stub.arrivals().size(), 180U);
    EXPECT_EQ(sql->one("select count(*) from dead_letter_events"), "0");
}

TEST_F(OutcomeSql, that_fails_keeps_the_letter_open_until_it_passes)
{
    sql->exec("alter table shop_orders add constraint picky check (state = 'NEW')");
    Config text = with_outcomes();
    stub.on("/c", answer(400));
    StartedRelay relay(text);
    const std::string event = emit("1", "Made");
    ASSERT_TRUE(relay.wait_for_log("PostgreSQL refused the outcome SQL of Made", patience));
    sql->exec("alter table shop_orders drop constraint picky");
    await_end(event, "PROCESSED");
    EXPECT_EQ(state_of("1"), "PAYMENT_FAILED");
    EXPECT_EQ(calls(), "POST /a, POST /b, POST /c, DELETE /b/undo, DELETE /a/undo");
}

} // namespace
} // namespace sagabox::testing
