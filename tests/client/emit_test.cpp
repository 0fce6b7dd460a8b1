// The client library against a real PostgreSQL with Sagabox's own migrations.
#include "sagabox/client.hpp"

#include "sql.hpp"
#include "testing/postgres.hpp"

#include <thread>

#include <gmock/gmock.h>

namespace sagabox::client {
namespace {

class Emit : public ::testing::Test {
protected:
    Emit()
    {
        for (const pg::Statement& migration : sql::migrations) {
            look.exec(std::string(migration.text));
        }
        look.exec("create table orders (id bigserial primary key, note text)");
    }
    std::string events() { return look.one("select count(*) from outbox_events"); }
    std::string orders() { return look.one("select count(*) from orders"); }

    const std::string url = sagabox::testing::Postgres::instance().fresh_database();
    sagabox::testing::Sql look{url};
    pqxx::connection connection{url};
};

Event order_created(const std::string& id)
{
    return {.aggregate_id = id,
            .type = "OrderCreated",
            .payloads = Payloads().to(
                "billing", Json::object({{"amount", Json::number("100.10")},
                                         {"big", Json::number("123456789012345678901234567890")},
                                         {"note", "a\"b\\c\n{n} \\u0000 ключ"}}))};
}

std::int64_t insert_order(pqxx::transaction_base& tx)
{
    return tx.exec1("insert into orders (note) values ('x') returning id")[0].as<std::int64_t>();
}

TEST_F(Emit, stores_what_it_is_given_digit_for_digit)
{
    pqxx::work tx(connection);
    const std::int64_t id = emit(tx, order_created("7"));
    tx.commit();
    const auto row = look.rows("select id, aggregate_id, event_type, status, idempotency_key, "
                               "payloads #>> '{billing,amount}', payloads #>> '{billing,big}', "
                               "payloads #>> '{billing,note}' from outbox_events")
                         .at(0);
    const std::vector<std::string> expected{std::to_string(id),
                                            "7",
                                            "OrderCreated",
                                            "PENDING",
                                            "7:OrderCreated",
                                            "100.10",
                                            "123456789012345678901234567890",
                                            "a\"b\\c\n{n} \\u0000 ключ"};
    EXPECT_EQ(row, expected);
}

TEST_F(Emit, leaves_nothing_when_the_transaction_is_rolled_back)
{
    {
        pqxx::work tx(connection);
        with_event(tx, order_created("7"), insert_order);
    }
    EXPECT_EQ(events(), "0");
    EXPECT_EQ(orders(), "0");
}

TEST_F(Emit, commits_the_business_row_and_the_event_together)
{
    pqxx::work tx(connection);
    const std::int64_t id = with_event(tx, order_created("7"), insert_order);
    EXPECT_EQ(events(), "0") << "seen before the commit";
    tx.commit();
    EXPECT_EQ(id, 1);
    EXPECT_EQ(events(), "1");
    EXPECT_EQ(orders(), "1");
}

TEST_F(Emit, emits_nothing_when_the_business_statement_throws)
{
    {
        pqxx::work tx(connection);
        EXPECT_THROW(with_event(tx, order_created("7"),
                                [](pqxx::transaction_base& work) { work.exec("select 1/0"); }),
                     pqxx::sql_error);
    }
    EXPECT_EQ(events(), "0");
}

TEST_F(Emit, makes_the_event_of_the_id_that_the_action_generated)
{
    pqxx::work tx(connection);
    const std::int64_t id = with_event_factory(
        tx, insert_order, [](std::int64_t order) { return order_created(std::to_string(order)); });
    tx.commit();
    EXPECT_EQ(look.one("select aggregate_id from outbox_events"), std::to_string(id));
}

TEST_F(Emit, works_for_actions_without_a_result)
{
    pqxx::work tx(connection);
    with_event_factory(
        tx, [](pqxx::transaction_base& work) { insert_order(work); },
        [] { return order_created("9"); });
    with_event(tx, cancel("9", "OrderCreated"),
               [](pqxx::transaction_base& work) { insert_order(work); });
    tx.commit();
    EXPECT_EQ(look.one("select string_agg(event_type, ' ' order by id) from outbox_events"),
              "OrderCreated !OrderCreated");
    EXPECT_EQ(orders(), "2");
}

TEST_F(Emit, gives_the_id_of_the_active_event_at_a_second_click)
{
    pqxx::work tx(connection);
    const std::int64_t first = emit(tx, order_created("7"));
    EXPECT_EQ(emit(tx, order_created("7")), first);
    tx.commit();
    pqxx::work later(connection);
    EXPECT_EQ(emit(later, order_created("7")), first);
    later.commit();
    EXPECT_EQ(events(), "1");
}

TEST_F(Emit, takes_a_key_of_its_own_and_a_new_event_once_the_old_one_is_done)
{
    Event event = order_created("7");
    event.idempotency_key = "mine";
    pqxx::work tx(connection);
    const std::int64_t first = emit(tx, event);
    tx.commit();
    EXPECT_EQ(look.one("select idempotency_key from outbox_events"), "mine");
    look.exec("update outbox_events set status = 'PROCESSED'");
    pqxx::work later(connection);
    EXPECT_NE(emit(later, event), first);
}

TEST_F(Emit, waits_for_another_transaction_with_the_same_key_and_agrees_with_it)
{
    pqxx::connection other(url);
    pqxx::work tx(connection);
    const std::int64_t first = emit(tx, order_created("7"));
    std::int64_t second = 0;
    std::thread clicker([&] {
        pqxx::work work(other);
        second = emit(work, order_created("7"));
        work.commit();
    });
    look.await("select count(*) from pg_stat_activity where wait_event_type = 'Lock' "
               "and datname = current_database()",
               "1");
    tx.commit();
    clicker.join();
    EXPECT_EQ(second, first);
}

TEST_F(Emit, names_a_moment_exactly_whatever_the_sessions_time_zone)
{
    Event event = order_created("7");
    // 2033-05-18 03:33:20.123457 UTC
    event.not_before =
        std::chrono::system_clock::time_point(std::chrono::microseconds{2'000'000'000'123'457});
    pqxx::work tx(connection);
    tx.exec("set local time zone 'America/New_York'");
    emit(tx, event);
    tx.commit();
    EXPECT_EQ(look.one("select to_char(next_retry_at at time zone 'UTC', "
                       "'YYYY-MM-DD HH24:MI:SS.US') from outbox_events"),
              "2033-05-18 03:33:20.123457");
}

TEST_F(Emit, refuses_events_that_say_nothing_or_would_be_cut)
{
    pqxx::work tx(connection);
    EXPECT_THROW(emit(tx, {.aggregate_id = "", .type = "T"}), std::invalid_argument);
    EXPECT_THROW(emit(tx, {.aggregate_id = "1", .type = ""}), std::invalid_argument);
    EXPECT_THROW(emit(tx, {.aggregate_id = std::string("1\0002", 3), .type = "T"}),
                 std::invalid_argument);
    EXPECT_THROW(
        emit(tx, {.aggregate_id = "1", .type = "T", .idempotency_key = std::string("k\0", 2)}),
        std::invalid_argument);
    emit(tx, order_created("7"));
    tx.commit();
    EXPECT_EQ(events(), "1");
}

} // namespace
} // namespace sagabox::client
