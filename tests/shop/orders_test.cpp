// The shop's orders against a real PostgreSQL with Sagabox's own migrations.
#include "shop/shop.hpp"

#include "sql.hpp"
#include "testing/postgres.hpp"

#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace shop {
namespace {

using ::testing::HasSubstr;
using Parsed = nlohmann::json;

class OrdersOverHttp : public ::testing::Test {
protected:
    OrdersOverHttp()
    {
        for (const sagabox::pg::Statement& migration : sagabox::sql::migrations) {
            look.exec(std::string(migration.text));
        }
        shop.prepare();
    }

    Response send(const std::string& method, const std::string& path, const std::string& body = "",
                  const std::string& type = "application/json")
    {
        return shop.handle(
            {.method = method, .path = path, .headers = {{"Content-Type", type}}, .body = body});
    }
    Response order(const std::string& amount = "100.10", const std::string& customer = "ada",
                   const std::string& shipping = "domestic")
    {
        return send("POST", "/api/orders",
                    R"({"customerId":")" + customer + R"(","totalAmount":)" + amount +
                        R"(,"shippingType":")" + shipping + R"(","unknown":[1]})");
    }
    std::string events() { return look.one("select count(*) from outbox_events"); }
    std::string orders() { return look.one("select count(*) from orders"); }

    const std::string url = sagabox::testing::Postgres::instance().fresh_database();
    sagabox::testing::Sql look{url};
    Shop shop{url, "public", {}, 1};
};

TEST_F(OrdersOverHttp, are_placed_with_their_event_in_one_transaction)
{
    const Response response = order();
    ASSERT_EQ(response.status, 201) << response.body;
    EXPECT_THAT(response.body, HasSubstr(R"("id":1,)"));
    EXPECT_THAT(response.body, HasSubstr(R"("totalAmount":100.10,)"));
    EXPECT_THAT(response.body, HasSubstr(R"("orderStatus":"PENDING")"));
    const auto row =
        look.rows("select aggregate_id, event_type, payloads::text from outbox_events").at(0);
    EXPECT_EQ(row[0], "1");
    EXPECT_EQ(row[1], "OrderCreated");
    EXPECT_EQ(look.one("select o.xmin = e.xmin from orders o, outbox_events e"), "t");
    const std::string payloads = look.one(
        "select payloads = '{\"inventory\": {\"orderId\": 1, \"totalAmount\": 100.10, "
        "\"shippingType\": \"domestic\", \"customerId\": \"ada\"}, \"fraudCheck\": {\"orderId\": "
        "1, "
        "\"customerId\": \"ada\", \"totalAmount\": 100.10}, \"shipping\": {\"customerId\": "
        "\"ada\", "
        "\"shippingType\": \"domestic\", \"orderId\": 1, \"totalAmount\": 100.10}, \"billing\": "
        "{\"orderId\": 1, \"amount\": 100.10, \"currency\": \"USD\", \"customerId\": "
        "\"ada\"}}'::jsonb "
        "from outbox_events");
    EXPECT_EQ(payloads, "t") << row[2];
}

TEST_F(OrdersOverHttp, keep_an_amounts_digits)
{
    for (const char* amount : {"100.10", "0.01", "9999999999.99", "5", "\"12.30\"", "\"7\""}) {
        const Response response = order(amount);
        ASSERT_EQ(response.status, 201) << amount << response.body;
        std::string digits = amount;
        std::erase(digits, '"');
        EXPECT_EQ(look.one("select payloads #>> '{billing,amount}' from outbox_events order by id "
                           "desc limit 1"),
                  digits);
        EXPECT_EQ(look.one("select total_amount = $1::numeric from orders order by id desc limit 1",
                           {digits}),
                  "t");
    }
}

TEST_F(OrdersOverHttp, are_refused_with_one_sentence_for_each_fault_and_nothing_is_stored)
{
    for (const char* amount :
         {"0", "0.00", "-1", "1.001", "10000000000", "9999999999.991", "1e2", "null", "true",
          "\"\"", "\" 1\"", "\"1.\"", "\"01\"", "\"NaN\"", "{}"}) {
        const Response response = order(amount);
        EXPECT_EQ(response.status, 422) << amount << response.body;
        EXPECT_THAT(response.body, HasSubstr("totalAmount")) << amount;
    }
    EXPECT_EQ(order("1", std::string(256, 'x')).status, 422);
    EXPECT_EQ(order("1", "").status, 422);
    EXPECT_EQ(order("1", "a\\nb").status, 422);
    EXPECT_EQ(order("1", "a\\u0000b").status, 422);
    EXPECT_EQ(order("1", "a\\u0085b").status, 422);
    EXPECT_EQ(order("1", "ada", "by air").status, 422);
    const Response all = send("POST", "/api/orders", "{}");
    EXPECT_THAT(
        all.body,
        HasSubstr("customerId is missing. totalAmount is missing. shippingType is missing."));
    EXPECT_EQ(
        send("POST", "/api/orders", R"({"customerId":7,"totalAmount":1,"shippingType":"domestic"})")
            .status,
        422);
    EXPECT_EQ(events(), "0");
    EXPECT_EQ(orders(), "0");
}

TEST_F(OrdersOverHttp, take_a_customer_of_255_characters_in_any_script)
{
    std::string customer;
    for (int i = 0; i < 255; ++i) {
        customer += "к";
    }
    EXPECT_EQ(order("1", customer).status, 201);
    EXPECT_EQ(order("1", "o'neil \\\"x\\\" </script>").status, 201);
    EXPECT_EQ(look.one("select customer_id from orders where id = 2"), "o'neil \"x\" </script>");
}

TEST_F(OrdersOverHttp, are_refused_for_what_their_request_is)
{
    for (const char* body : {"", "{", "[]", "7", "{\"customerId\":\"\xff\"}", "{} {}"}) {
        EXPECT_EQ(send("POST", "/api/orders", body).status, 400) << body;
    }
    EXPECT_EQ(send("POST", "/api/orders", "{}", "text/plain").status, 415);
    EXPECT_EQ(send("POST", "/api/orders", "{}", "").status, 415);
    EXPECT_EQ(send("POST", "/api/orders", "{}", "application/json; charset=utf-8").status, 422);
    EXPECT_EQ(send("POST", "/api/orders", std::string(70'000, ' ')).status, 413);
    const Response wrong = send("PATCH", "/api/orders");
    EXPECT_EQ(wrong.status, 405);
    EXPECT_EQ(wrong.headers.front(), (std::pair<std::string, std::string>("Allow", "GET, POST")));
    EXPECT_EQ(wrong.headers.at(1).second, "application/problem+json");
}

TEST_F(OrdersOverHttp, are_not_found_under_ids_that_do_not_exist_or_are_none)
{
    EXPECT_EQ(send("GET", "/api/orders/1").status, 404);
    EXPECT_EQ(send("DELETE", "/api/orders/1").status, 404);
    EXPECT_EQ(send("DELETE", "/api/orders/1/cancel").status, 404);
    EXPECT_EQ(send("PUT", "/api/orders/1/status", R"({"status":"SHIPPED"})").status, 404);
    for (const char* id : {"0", "-1", "x", "1x", "9223372036854775808", "1.0", "+1"}) {
        EXPECT_EQ(send("GET", std::string("/api/orders/") + id).status, 400) << id;
    }
    EXPECT_EQ(send("GET", "/api/orders/1/nothing").status, 404);
    EXPECT_EQ(send("POST", "/api/orders/1/cancel").status, 405);
    EXPECT_EQ(send("GET", "/api/orders/1/status").status, 405);
    EXPECT_EQ(events(), "0");
}

TEST_F(OrdersOverHttp, are_confirmed_by_a_letter_that_the_outbox_takes)
{
    look.exec("insert into email_rules values (default, 'shop@shop.example', '{}', "
              "'{application/pdf}', 3, 100000, 200000, 5)");
    const std::string id = look.one("insert into orders (customer_id, total_amount, shipping_type) "
                                    "values ('c', 99.90, 'domestic') returning id");
    EXPECT_EQ(look.one("select count(*) from email_faults(order_confirmation($1))", {id}), "0");
    const std::string letter = look.one("select outbox_emit_email(order_confirmation($1))", {id});
    EXPECT_EQ(look.one("select content_type || ' ' || file_name from email_attachments "
                       "where message_id = $1",
                       {letter}),
              "application/pdf order-" + id + ".pdf");
    EXPECT_EQ(look.one("select outbox_emit_email(order_confirmation($1))", {id}), letter)
        << "an order is confirmed once";
}

TEST_F(OrdersOverHttp, are_listed_newest_first)
{
    for (int i = 0; i < 3; ++i) {
        order();
    }
    const Parsed all = Parsed::parse(send("GET", "/api/orders").body)["orders"];
    ASSERT_EQ(all.size(), 3);
    EXPECT_EQ(all[0]["id"], 3);
    const auto page = [&](Pairs query) {
        return shop.handle({.method = "GET", .path = "/api/orders", .query = std::move(query)});
    };
    const Parsed second = Parsed::parse(page({{"limit", "1"}, {"before", "3"}}).body)["orders"];
    ASSERT_EQ(second.size(), 1);
    EXPECT_EQ(second[0]["id"], 2);
    for (const char* bad : {"0", "501", "x", "-1"}) {
        EXPECT_EQ(page({{"limit", bad}}).status, 400) << bad;
    }
}

TEST_F(OrdersOverHttp, tell_of_each_change_of_status_even_within_a_moment)
{
    order();
    EXPECT_EQ(send("PUT", "/api/orders/1/status", R"({"status":"SHIPPED"})").status, 200);
    EXPECT_EQ(send("PUT", "/api/orders/1/status", R"({"status":"DELIVERED"})").status, 200);
    EXPECT_EQ(send("PUT", "/api/orders/1/status", R"({"status":"SHIPPED"})").status, 200);
    EXPECT_EQ(look.one("select count(distinct idempotency_key) from outbox_events "
                       "where event_type = 'OrderStatusUpdated'"),
              "3");
    EXPECT_EQ(look.one("select payloads = '{\"notifications\": {\"orderId\": 1, \"newStatus\": "
                       "\"DELIVERED\", \"previousStatus\": \"SHIPPED\"}}'::jsonb "
                       "from outbox_events order by id offset 2 limit 1"),
              "t");
    EXPECT_EQ(look.one("select order_status from orders"), "SHIPPED");
}

TEST_F(OrdersOverHttp, tell_nothing_when_the_status_does_not_change_or_is_not_allowed)
{
    order();
    const Response same = send("PUT", "/api/orders/1/status", R"({"status":"PENDING"})");
    EXPECT_EQ(Parsed::parse(same.body)["changed"], false);
    for (const char* bad :
         {R"({"status":"LOST"})", R"({"status":7})", "{}", R"({"status":"CANCELLED"})"}) {
        EXPECT_EQ(send("PUT", "/api/orders/1/status", bad).status, 422) << bad;
    }
    EXPECT_EQ(events(), "1");
}

TEST_F(OrdersOverHttp, are_cancelled_once_and_again)
{
    order();
    const Response first = send("DELETE", "/api/orders/1/cancel");
    EXPECT_EQ(first.status, 200);
    EXPECT_EQ(Parsed::parse(first.body)["alreadyCancelled"], false);
    EXPECT_EQ(look.one("select order_status from orders"), "CANCELLED");
    EXPECT_EQ(
        look.one("select payloads::text from outbox_events where event_type = '!OrderCreated'"),
        "{}");

    const Response second = send("DELETE", "/api/orders/1/cancel");
    EXPECT_EQ(second.status, 200);
    EXPECT_EQ(Parsed::parse(second.body)["alreadyCancelled"], true);
    EXPECT_EQ(events(), "2");

    look.exec("update outbox_events set status = 'PROCESSED'");
    EXPECT_EQ(send("DELETE", "/api/orders/1/cancel").status, 200);
    EXPECT_EQ(events(), "3");
    EXPECT_EQ(send("PUT", "/api/orders/1/status", R"({"status":"SHIPPED"})").status, 409);
}

TEST_F(OrdersOverHttp, are_undone_when_they_are_deleted_and_hidden_afterwards)
{
    order();
    EXPECT_EQ(send("DELETE", "/api/orders/1").status, 200);
    EXPECT_EQ(look.one("select event_type from outbox_events order by id desc limit 1"),
              "!OrderCreated");
    EXPECT_EQ(send("GET", "/api/orders/1").status, 404);
    EXPECT_EQ(send("DELETE", "/api/orders/1").status, 404);
    EXPECT_EQ(Parsed::parse(send("GET", "/api/orders").body)["orders"].size(), 0);
    EXPECT_EQ(orders(), "1");

    order();
    send("DELETE", "/api/orders/2/cancel");
    send("DELETE", "/api/orders/2");
    EXPECT_EQ(look.one("select count(*) from outbox_events where aggregate_id = '2'"), "2");
}

TEST_F(OrdersOverHttp, show_what_the_saga_has_made_of_them)
{
    order();
    look.exec("update orders set order_status = 'CONFIRMED' where id = 1");
    const Parsed shown = Parsed::parse(send("GET", "/api/orders/1").body);
    EXPECT_EQ(shown["orderStatus"], "CONFIRMED");
    EXPECT_GT(shown["updatedAt"], shown["createdAt"]);
}

TEST_F(OrdersOverHttp, are_served_again_after_the_database_ended_every_connection)
{
    order();
    look.exec("select pg_terminate_backend(pid) from pg_stat_activity "
              "where application_name = 'sagabox demo shop' and datname = current_database()");
    look.await("select count(*) from pg_stat_activity "
               "where application_name = 'sagabox demo shop' and datname = current_database()",
               "0");
    EXPECT_EQ(order().status, 201);
    EXPECT_EQ(orders(), "2");
    EXPECT_EQ(events(), "2");
}

TEST_F(OrdersOverHttp, are_placed_from_many_threads)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([this] {
            for (int n = 0; n < 25; ++n) {
                EXPECT_EQ(order().status, 201);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(
        look.one(
            "select count(*) from outbox_events e join orders o on o.id::text = e.aggregate_id"),
        "100");
}

TEST_F(OrdersOverHttp, can_be_prepared_by_several_processes_at_once)
{
    look.exec("drop table orders");
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([this] { Shop(url, "public", {}, 1).prepare(); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(orders(), "0");
}

TEST(OrdersWithoutTheOutbox, say_what_is_missing)
{
    const std::string url = sagabox::testing::Postgres::instance().fresh_database();
    Shop shop(url, "public", {}, 1);
    shop.prepare();
    const Response response =
        shop.handle({.method = "POST",
                     .path = "/api/orders",
                     .headers = {{"Content-Type", "application/json"}},
                     .body = R"({"customerId":"a","totalAmount":1,"shippingType":"domestic"})"});
    EXPECT_EQ(response.status, 503);
    EXPECT_THAT(response.body, HasSubstr("sagabox migrate"));
    EXPECT_EQ(sagabox::testing::Sql(url).one("select count(*) from orders"), "0");
}

TEST(OrdersInAnotherSchema, live_beside_the_outbox_there)
{
    const std::string url = sagabox::testing::Postgres::instance().fresh_database();
    sagabox::testing::Sql look(url);
    look.exec("create schema \"My Shop\"; set search_path to \"My Shop\"");
    for (const sagabox::pg::Statement& migration : sagabox::sql::migrations) {
        look.exec(std::string(migration.text));
    }
    Shop shop(url, "My Shop", {}, 1);
    shop.prepare();
    const Response response =
        shop.handle({.method = "POST",
                     .path = "/api/orders",
                     .headers = {{"Content-Type", "application/json"}},
                     .body = R"({"customerId":"a","totalAmount":1,"shippingType":"domestic"})"});
    EXPECT_EQ(response.status, 201) << response.body;
    EXPECT_EQ(look.one("select count(*) from \"My Shop\".outbox_events"), "1");
}

} // namespace
} // namespace shop
