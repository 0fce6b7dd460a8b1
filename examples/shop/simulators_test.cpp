#include "shop/shop.hpp"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace shop {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using Parsed = nlohmann::json;

/// A shop whose database is never needed: the simulators live in memory.
class Simulated : public testing::Test {
protected:
    Response call(const std::string& method, const std::string& path, const std::string& key = "",
                  const std::string& aggregate = "7", const std::string& body = "{}")
    {
        Request request{.method = method, .path = path, .body = body};
        if (!key.empty()) {
            request.headers.emplace_back("idempotency-key", key);
        }
        request.headers.emplace_back("X-Aggregate-Id", aggregate);
        return shop.handle(request);
    }
    Parsed get(const std::string& path, Pairs query = {})
    {
        return Parsed::parse(
            shop.handle({.method = "GET", .path = path, .query = std::move(query)}).body);
    }
    Parsed ledger() { return get("/api/simulators/ledger"); }
    Parsed state(const std::string& aggregate = "7") { return ledger()["state"][aggregate]; }
    int put(const std::string& path, const std::string& body)
    {
        return shop.handle({.method = "PUT", .path = "/api/simulators/" + path, .body = body})
            .status;
    }
    static std::string field(const Response& response, const std::string& name)
    {
        return Parsed::parse(response.body).at(name);
    }
    static std::string header(const Response& response, std::string_view name)
    {
        return std::string(
            Request{.method = {}, .path = {}, .headers = response.headers}.header(name));
    }

    Shop shop{"host=/nowhere", "public", {}, 1};
};

TEST_F(Simulated, reserve_and_release_stock)
{
    const Response reserved = call("POST", "/api/inventory/reserve", "k1", "7", R"({"orderId":7})");
    ASSERT_EQ(reserved.status, 200);
    const Parsed body = Parsed::parse(reserved.body);
    EXPECT_EQ(body["orderId"], 7);
    EXPECT_EQ(body["status"], "RESERVED");
    EXPECT_TRUE(body["warehouseId"].is_string());
    const std::string id = body["reservationId"];
    EXPECT_THAT(state()["reserved"], SizeIs(1));

    EXPECT_EQ(call("DELETE", "/api/inventory/" + id + "/release", "k1.revert").status, 200);
    EXPECT_THAT(state()["reserved"], IsEmpty());
}

TEST_F(Simulated, undo_each_thing_that_can_be_undone)
{
    struct Case {
        const char* path;
        const char* id_field;
        const char* undo;
        const char* kind;
    };
    for (const Case& one :
         {Case{"/api/domestic-shipping", "shipmentId", "cancel", "shipped"},
          Case{"/api/international-shipping", "shipmentId", "cancel", "shipped"},
          Case{"/api/billing", "transactionId", "refund", "charged"},
          Case{"/api/high-value-processing", "processingId", "cancel", "charged"}}) {
        const std::string path = one.path;
        const Response made = call("POST", path, path);
        EXPECT_THAT(state()[one.kind], SizeIs(1)) << path;
        const std::string id = field(made, one.id_field);
        EXPECT_EQ(call("POST", path + "/" + id + "/" + one.undo, path + ".revert").status, 200);
        EXPECT_THAT(state()[one.kind], IsEmpty()) << path;
    }
}

TEST_F(Simulated, send_notifications_that_nothing_undoes)
{
    for (const char* kind : {"shipping-confirmation", "review-request", "status-update"}) {
        EXPECT_EQ(call("POST", std::string("/api/notifications/") + kind, kind).status, 200);
    }
    EXPECT_THAT(state()["notified"], SizeIs(3));
}

TEST_F(Simulated, score_an_even_order_25_and_an_odd_one_75)
{
    EXPECT_EQ(Parsed::parse(call("POST", "/api/fraud/check", "a", "12").body)["riskScore"], 25);
    EXPECT_EQ(Parsed::parse(call("POST", "/api/fraud/check", "b", "13").body)["riskScore"], 75);
    const Response by_body =
        shop.handle({.method = "POST", .path = "/api/fraud/check", .body = R"({"orderId":15})"});
    EXPECT_EQ(Parsed::parse(by_body.body)["riskScore"], 75);
}

TEST_F(Simulated, give_back_an_amount_digit_for_digit)
{
    for (const char* amount :
         {"100.10", "9999999999.99", "0.01", "123456789012345678901234567890"}) {
        const Response charged =
            call("POST", "/api/billing", amount, "7", std::string(R"({"amount":)") + amount + "}");
        EXPECT_THAT(charged.body, HasSubstr(std::string(R"("amount":)") + amount + ","));
        EXPECT_EQ(Parsed::parse(charged.body)["transaction"]["id"],
                  Parsed::parse(charged.body)["transactionId"]);
    }
    const Response text = shop.handle({.method = "GET", .path = "/api/simulators/ledger"});
    EXPECT_THAT(text.body, HasSubstr(R"("amount":100.10)"));
}

TEST_F(Simulated, answer_a_known_key_again_without_a_second_effect)
{
    const Response first = call("POST", "/api/billing", "k");
    const Response second = call("POST", "/api/billing", "k");
    EXPECT_EQ(first.body, second.body);
    EXPECT_EQ(header(second, "Idempotent-Replayed"), "true");
    const Parsed entry = ledger()["entries"][0];
    EXPECT_EQ(entry["seen"], 2);
    EXPECT_EQ(entry["effectSequence"], 1);
    EXPECT_EQ(entry["bodyChanged"], false);
    EXPECT_THAT(state()["charged"], SizeIs(1));
}

TEST_F(Simulated, notice_a_key_that_comes_with_another_body)
{
    call("POST", "/api/billing", "k", "7", R"({"amount":1})");
    call("POST", "/api/billing", "k", "7", R"({"amount":2})");
    EXPECT_EQ(ledger()["entries"][0]["bodyChanged"], true);
}

TEST_F(Simulated, have_one_effect_for_one_key_from_many_threads)
{
    std::atomic<int> good = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] {
            for (int k = 0; k < 50; ++k) {
                good += call("POST", "/api/billing", std::to_string(k)).status == 200 ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(good, 400);
    const Parsed totals = ledger()["totals"];
    EXPECT_EQ(totals["effects"], 50);
    EXPECT_EQ(totals["arrivals"], 400);
    EXPECT_EQ(totals["active"]["charged"], 50);
}

TEST_F(Simulated, say_404_to_an_unknown_id_and_410_to_one_undone_already)
{
    EXPECT_EQ(call("POST", "/api/billing/txn-none/refund", "a").status, 404);
    const std::string id = field(call("POST", "/api/billing", "b"), "transactionId");
    EXPECT_EQ(call("POST", "/api/domestic-shipping/" + id + "/cancel", "c").status, 404);
    EXPECT_EQ(call("POST", "/api/billing/" + id + "/refund", "d").status, 200);
    EXPECT_EQ(call("POST", "/api/billing/" + id + "/refund", "e").status, 410);
    EXPECT_EQ(call("POST", "/api/billing/" + id + "/refund", "d").status, 200);
}

TEST_F(Simulated, always_succeed_or_always_fail_where_the_address_says_so)
{
    ASSERT_EQ(put("failure-rates", R"({"billing.charge":1,"billing.refund":1})"), 200);
    EXPECT_EQ(call("POST", "/api/billing/succeed", "a").status, 200);
    EXPECT_EQ(call("POST", "/api/billing/txn-any/refund/succeed", "b").status, 200);
    ASSERT_EQ(put("failure-rates", R"({"billing.charge":0,"billing.refund":0})"), 200);
    EXPECT_EQ(call("POST", "/api/billing/fail", "c").status, 503);
    EXPECT_EQ(call("POST", "/api/billing/txn-any/refund/fail", "d").status, 503);
    EXPECT_EQ(ledger()["entries"][2]["effect"], false);
    EXPECT_THAT(state()["charged"], SizeIs(1));
}

TEST_F(Simulated, fail_by_their_rate_without_effect_and_succeed_later_under_the_same_key)
{
    ASSERT_EQ(put("failure-rates", R"({"inventory.reserve":1,"fraudCheck.check":1})"), 200);
    EXPECT_EQ(call("POST", "/api/inventory/reserve", "k").status, 503);
    const Response busy = call("POST", "/api/fraud/check", "f");
    EXPECT_EQ(busy.status, 429);
    EXPECT_EQ(header(busy, "Retry-After"), "1");
    EXPECT_EQ(ledger()["totals"]["effects"], 0);
    ASSERT_EQ(put("failure-rates", R"({"inventory.reserve":0})"), 200);
    EXPECT_EQ(call("POST", "/api/inventory/reserve", "k").status, 200);
    EXPECT_EQ(ledger()["entries"][0]["seen"], 2);
}

TEST_F(Simulated, answer_late_by_their_latency_which_adds_to_what_a_script_says)
{
    ASSERT_EQ(put("latencies", R"({"billing.charge":750,"billing.refund":20})"), 200);
    const Response charged = call("POST", "/api/billing", "k");
    EXPECT_EQ(charged.status, 200);
    EXPECT_EQ(charged.delay, std::chrono::milliseconds{750});
    EXPECT_EQ(call("POST", "/api/billing/txn-none/refund", "r").delay,
              std::chrono::milliseconds{20});
    EXPECT_EQ(call("POST", "/api/inventory/reserve", "i").delay, std::chrono::milliseconds{0});
    EXPECT_EQ(call("POST", "/api/billing/succeed", "s").delay, std::chrono::milliseconds{0});
    ASSERT_EQ(put("script", R"({"service":"billing.charge","answers":[{"hang":"1s"}]})"), 200);
    EXPECT_EQ(call("POST", "/api/billing", "h").delay, std::chrono::milliseconds{1'750});
    ASSERT_EQ(put("latencies", R"({"billing.charge":0})"), 200);
    EXPECT_EQ(call("POST", "/api/billing", "l").delay, std::chrono::milliseconds{0});
}

TEST_F(Simulated, turn_calls_beyond_their_limit_away_without_effect)
{
    ASSERT_EQ(put("rate-limits", R"({"billing.charge":1})"), 200);
    int turned_away = 0;
    for (int i = 0; i < 50; ++i) {
        const std::string key = std::to_string(i);
        const Response answer = call("POST", "/api/billing", key);
        if (answer.status == 429) {
            ++turned_away;
            EXPECT_EQ(header(answer, "Retry-After"), "1");
        } else {
            EXPECT_EQ(answer.status, 200);
        }
    }
    EXPECT_GT(turned_away, 0);
    EXPECT_EQ(ledger()["totals"]["effects"], 50 - turned_away);
    EXPECT_EQ(ledger()["totals"]["arrivals"], 50);
    EXPECT_EQ(call("POST", "/api/inventory/reserve", "i").status, 200);
    ASSERT_EQ(put("rate-limits", R"({"billing.charge":0})"), 200);
    EXPECT_EQ(call("POST", "/api/billing", "49").status, 200);
}

TEST_F(Simulated, draw_the_same_failures_from_the_same_seed)
{
    const auto run = [](std::uint64_t seed) {
        Shop one("host=/nowhere", "public", {{"billing.charge", 0.5}}, seed);
        std::string outcome;
        for (int order = 0; order < 200; ++order) {
            const Response answer =
                one.handle({.method = "POST",
                            .path = "/api/billing",
                            .headers = {{"X-Aggregate-Id", std::to_string(order)}}});
            outcome += answer.status == 200 ? '.' : 'x';
        }
        return outcome;
    };
    EXPECT_EQ(run(1), run(1));
    EXPECT_NE(run(1), run(2));
    const auto failures = std::ranges::count(run(1), 'x');
    EXPECT_GT(failures, 60);
    EXPECT_LT(failures, 140);
}

TEST_F(Simulated, refuse_every_charge_of_the_customer_with_the_declined_card)
{
    const std::string body = R"({"customerId":"declined-card","amount":5})";
    EXPECT_EQ(call("POST", "/api/billing", "a", "7", body).status, 402);
    EXPECT_EQ(call("POST", "/api/high-value-processing", "b", "7", body).status, 402);
    EXPECT_EQ(call("POST", "/api/inventory/reserve", "c", "7", body).status, 200);
}

TEST_F(Simulated, follow_a_script_in_order_and_then_behave)
{
    ASSERT_EQ(put("script", R"({"service":"billing.charge","aggregateId":"7","answers":[
        {"status":422,"times":2},{"status":429,"retryAfter":"1"},{"hang":"6s","effect":true}]})"),
              200);
    EXPECT_EQ(call("POST", "/api/billing", "other", "8").status, 200);
    EXPECT_EQ(call("POST", "/api/billing", "k").status, 422);
    EXPECT_EQ(call("POST", "/api/billing", "k").status, 422);
    const Response busy = call("POST", "/api/billing", "k");
    EXPECT_EQ(busy.status, 429);
    EXPECT_EQ(header(busy, "Retry-After"), "1");
    EXPECT_EQ(ledger()["totals"]["effects"], 1);
    const Response late = call("POST", "/api/billing", "k");
    EXPECT_EQ(late.status, 200);
    EXPECT_EQ(late.delay, std::chrono::seconds{6});
    const Response again = call("POST", "/api/billing", "k");
    EXPECT_EQ(again.delay, std::chrono::seconds{0});
    EXPECT_EQ(again.body, late.body);
    EXPECT_EQ(ledger()["totals"]["effects"], 2);
}

TEST_F(Simulated, can_take_effect_and_lose_the_answer)
{
    ASSERT_EQ(put("script",
                  R"({"service":"inventory.reserve","answers":[{"status":500,"effect":true}]})"),
              200);
    EXPECT_EQ(call("POST", "/api/inventory/reserve", "k").status, 500);
    EXPECT_THAT(state()["reserved"], SizeIs(1));
    EXPECT_EQ(call("POST", "/api/inventory/reserve", "k").status, 200);
    EXPECT_THAT(state()["reserved"], SizeIs(1));
}

TEST_F(Simulated, refuse_scripts_and_rates_that_make_no_sense)
{
    for (const char* bad : {"", "[]", "{}", R"({"service":"billing.charge","answers":7})",
                            R"({"service":"nothing","answers":[]})",
                            R"({"service":"billing.charge","answers":[{"status":99}]})",
                            R"({"service":"billing.charge","answers":[{"status":600}]})",
                            R"({"service":"billing.charge","answers":[{"times":0}]})",
                            R"({"service":"billing.charge","answers":[{"hang":"6"}]})",
                            R"({"service":"billing.charge","answers":[{"hang":"11m"}]})",
                            R"({"service":"billing.charge","answers":[{"colour":"red"}]})",
                            R"({"service":"billing.charge","answers":[7]})"}) {
        EXPECT_THAT(put("script", bad), testing::AnyOf(400, 422)) << bad;
    }
    for (const char* bad : {"", "7", R"({"nothing":1})", R"({"billing.charge":1.5})",
                            R"({"billing.charge":-1})", R"({"billing.charge":"1"})"}) {
        EXPECT_THAT(put("failure-rates", bad), testing::AnyOf(400, 422)) << bad;
    }
    for (const char* bad :
         {"", "7", R"({"nothing":1})", R"({"billing.charge":0.5})", R"({"billing.charge":-1})",
          R"({"billing.charge":100001})", R"({"inventory.reserve":1,"billing.charge":"1"})"}) {
        EXPECT_THAT(put("latencies", bad), testing::AnyOf(400, 422)) << bad;
        EXPECT_THAT(put("rate-limits", bad), testing::AnyOf(400, 422)) << bad;
    }
    for (const char* setting : {"failure-rates", "latencies", "rate-limits"}) {
        const Parsed now = get(std::string("/api/simulators/") + setting);
        EXPECT_EQ(now["billing.charge"], 0) << setting;
        EXPECT_EQ(now["inventory.reserve"], 0) << setting;
    }
}

TEST_F(Simulated, show_the_ledger_of_one_aggregate_and_by_pages)
{
    call("POST", "/api/billing", "a", "1");
    call("POST", "/api/billing", "b", "2");
    call("POST", "/api/inventory/reserve", "c", "1");
    const Parsed one = get("/api/simulators/ledger", {{"aggregate", "1"}});
    EXPECT_THAT(one["entries"], SizeIs(2));
    EXPECT_THAT(one["state"], SizeIs(1));
    const Parsed page = get("/api/simulators/ledger", {{"limit", "1"}, {"after", "1"}});
    EXPECT_EQ(page["entries"][0]["key"], "b");
    EXPECT_EQ(page["more"], true);
    EXPECT_EQ(
        shop.handle({.method = "GET", .path = "/api/simulators/ledger", .query = {{"limit", "x"}}})
            .status,
        400);
}

TEST_F(Simulated, forget_everything_at_a_reset)
{
    call("POST", "/api/billing", "a");
    EXPECT_EQ(call("POST", "/api/simulators/reset").status, 200);
    EXPECT_EQ(ledger()["totals"]["keys"], 0);
    EXPECT_THAT(ledger()["state"], IsEmpty());
}

TEST_F(Simulated, count_each_request_without_a_key_as_one_of_its_own)
{
    call("POST", "/api/billing");
    call("POST", "/api/billing");
    EXPECT_EQ(ledger()["totals"]["effects"], 2);
}

TEST_F(Simulated, refuse_a_body_that_is_no_object_and_a_wrong_method)
{
    EXPECT_EQ(call("POST", "/api/billing", "k", "7", "[1]").status, 400);
    EXPECT_EQ(call("POST", "/api/billing", "k", "7", "{\"a\":").status, 400);
    const Response wrong = call("GET", "/api/billing");
    EXPECT_EQ(wrong.status, 405);
    EXPECT_EQ(header(wrong, "Allow"), "POST, PUT");
}

TEST_F(Simulated, answer_at_their_own_addresses_only)
{
    EXPECT_TRUE(Shop::owns("/api/orders/7/whatever"));
    EXPECT_TRUE(Shop::owns("/api/billing/x/refund/fail"));
    EXPECT_FALSE(Shop::owns("/api/billing/x/y/refund"));
    EXPECT_FALSE(Shop::owns("/api/billing//refund"));
    EXPECT_FALSE(Shop::owns("/api/ordersx"));
    EXPECT_FALSE(Shop::owns("/api/outbox/events"));
    EXPECT_FALSE(Shop::owns("/"));
}

TEST(ShopWithoutDatabase, says_503_to_an_order_and_goes_on)
{
    Shop shop("host=/nowhere", "public", {}, 1);
    const Response list = shop.handle({.method = "GET", .path = "/api/orders"});
    EXPECT_EQ(list.status, 503);
    EXPECT_THAT(list.body, HasSubstr("database cannot be reached"));
    EXPECT_EQ(shop.handle({.method = "GET", .path = "/api/simulators/ledger"}).status, 200);
}

} // namespace
} // namespace shop
