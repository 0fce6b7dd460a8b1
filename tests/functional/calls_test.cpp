#include "tests/functional/saga_fixture.hpp"

#include <cstdlib>
#include <set>

namespace sagabox::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

using Calls = SagaTest;

TEST_F(Calls, carry_every_header_of_the_contract)
{
    Config text = abc();
    stub.on("/b", answer(400));
    StartedRelay relay(text);
    const std::string event = emit("order-7", "Made");
    sql->exec("set timezone = 'America/New_York'");
    await_end(event, "PROCESSED");
    const std::string uuid =
        sql->one("select event_uuid from outbox_events where id = $1", {event});

    for (const std::string path : {"/a", "/a/undo"}) {
        const Arrival call = stub.arrivals(path).at(0);
        const bool revert = path == "/a/undo";
        EXPECT_EQ(call.header("X-Event-Id"), event);
        EXPECT_EQ(call.header("X-Event-Type"), "Made");
        EXPECT_EQ(call.header("X-Aggregate-Id"), "order-7");
        EXPECT_EQ(call.header("X-Destination"), revert ? "a.revert" : "a");
        EXPECT_THAT(call.header("X-Created-At"),
                    MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\\.[0-9]{1,6})?Z"));
        EXPECT_EQ(sql->one("select created_at = $2::timestamptz from outbox_events where id = $1",
                           {event, call.header("X-Created-At")}),
                  "t");
        EXPECT_EQ(call.header("Idempotency-Key"), uuid + (revert ? ":a.revert" : ":a"));
        EXPECT_THAT(call.header("traceparent"), MatchesRegex("00-[0-9a-f]{32}-[0-9a-f]{16}-01"));
        EXPECT_EQ(call.header("X-Revert-Aggregate-Id"), revert ? "order-7" : "");
        EXPECT_EQ(call.header("X-Revert-Event-Type"), revert ? "Made" : "");
        EXPECT_EQ(call.header("X-Revert-Destination"), revert ? "a" : "");
    }
    EXPECT_EQ(stub.arrivals("/a").at(0).header("Content-Type"), "application/json");
}

TEST_F(Calls, carry_a_key_of_their_own_for_each_destination_and_direction)
{
    Config text = abc();
    stub.on("/c", answer(400));
    StartedRelay relay(text);
    await_end(emit("1", "Made"), "PROCESSED");
    std::set<std::string> keys;
    for (const Arrival& one : stub.arrivals()) {
        keys.insert(one.header("Idempotency-Key"));
    }
    EXPECT_EQ(stub.arrivals().size(), 5U);
    EXPECT_EQ(keys.size(), 5U);
}

TEST_F(Calls, let_configured_headers_win_save_over_the_key_and_the_framing)
{
    stub.on("/a", answer(200));
    StartedRelay relay(config().with(fmt::format(R"(outbox.http.routes.a {{ url = "{}"
        headers {{ X-Event-Type = mine, idempotency-KEY = forged, content-length = "3", Content-Type = "application/x-mine" }} }})",
                                                 stub.url("/a"))));
    const std::string event = emit("1", "a", R"({"a":{"payload":{"x":1},"headers":{
        "IDEMPOTENCY-key":"forged","Transfer-Encoding":"chunked","Host":"evil","x-aggregate-id":"other"}}})");
    await_status(event, "PROCESSED");
    const Arrival call = stub.arrivals("/a").at(0);
    EXPECT_EQ(call.header("X-Event-Type"), "mine");
    EXPECT_EQ(call.header("X-Aggregate-Id"), "other");
    EXPECT_EQ(call.header("Content-Type"), "application/x-mine");
    EXPECT_THAT(call.header("Idempotency-Key"), HasSubstr(":a"));
    for (const char* name :
         {"Idempotency-Key", "Content-Length", "Host", "X-Event-Type", "X-Aggregate-Id"}) {
        EXPECT_EQ(call.count_of(name), 1U) << name;
    }
    EXPECT_EQ(call.count_of("Transfer-Encoding"), 0U);
    EXPECT_EQ(call.header("Content-Length"), "7");
    EXPECT_EQ(call.body, R"({"x":1})");
    EXPECT_EQ(call.header("Host"), fmt::format("127.0.0.1:{}", stub.port()));
}

TEST_F(Calls, end_their_keys_in_the_number_of_a_later_run)
{
    Config text = abc();
    stub.on("/c", answer(400)).then(answer(200));
    StartedRelay relay(text);
    const std::string event = emit("1", "Made");
    await_end(event, "PROCESSED");
    sql->exec("update outbox_events set status = 'PENDING', run = 2, moved_to_dlq = false, "
              "forgiven_up_to = (select max(id) from aggregate_results) where id = $1",
              {event});
    sql->exec("select pg_notify('outbox_events_channel', '')");
    await_status(event, "PROCESSED");
    EXPECT_EQ(results(event),
              "a succeeded, b succeeded, c rejected, b.revert succeeded, a.revert succeeded, "
              "a succeeded, b succeeded, c succeeded");
    const std::string uuid =
        sql->one("select event_uuid from outbox_events where id = $1", {event});
    EXPECT_EQ(stub.arrivals("/a").at(0).header("Idempotency-Key"), uuid + ":a");
    EXPECT_EQ(stub.arrivals("/a").at(1).header("Idempotency-Key"), uuid + ":a:2");
    EXPECT_EQ(sql->one("select moved_to_dlq from outbox_events where id = $1", {event}), "f");
}

TEST_F(Calls, leave_no_secret_of_a_url_in_the_database_or_the_log)
{
    const std::string host = fmt::format("127.0.0.1:{}", stub.port());
    stub.on("/a", answer(500)).then(answer(200));
    stub.on("/b", answer(400));
    stub.on("/undo", answer(500)).then(answer(200));
    StartedRelay relay(config()
                           .with(fmt::format(R"(outbox.http.routes.a {{
                               url = "http://user:hunter2pass@{0}/a?token=tok3n-value"
                               headers {{ Authorization = "Bearer b3arer-value" }}
                               revert {{ url = "http://user:hunter2pass@{0}/undo?api_key=k3y-value" }} }})",
                                             host))
                           .with("outbox.http.routes.gone { url = "
                                 "\"http://user:hunter2pass@127.0.0.1:1/?token=tok3n-value\" }")
                           .route("b", stub)
                           .with("outbox.maxRetries = 1")
                           .fanout("Made", {"a", "b"}));
    await_end(emit("1", "Made"), "PROCESSED");
    await_end(emit("2", "gone"), "PROCESSED");

    EXPECT_EQ(stub.arrivals("/a").at(0).target, "/a?token=tok3n-value");
    EXPECT_EQ(stub.arrivals("/a").at(0).header("Authorization"), "Bearer b3arer-value");
    const std::string stored =
        sql->one("select (select string_agg(r::text, ' ') from aggregate_results r) || "
                 "(select string_agg(e::text, ' ') from outbox_events e) || "
                 "(select string_agg(d::text, ' ') from dead_letter_events d)");
    for (const char* secret : {"hunter2pass", "tok3n-value", "k3y-value", "b3arer-value"}) {
        EXPECT_THAT(stored, Not(HasSubstr(secret)));
        EXPECT_THAT(relay.log(), Not(HasSubstr(secret)));
    }
    EXPECT_THAT(stored, AllOf(HasSubstr(host + "/a"), HasSubstr(host + "/undo")));
}

TEST_F(Calls, leave_no_secret_of_the_environment_in_the_database_or_the_log)
{
    ::setenv("SAGABOX_TEST_HOOK", "h00k-value", 1);
    stub.on("/hooks/h00k-value/a", answer(400));
    // The statement fails, and PostgreSQL's words about it name the secret.
    StartedRelay relay(config().with(fmt::format(
        R"(outbox.http.routes.a {{ url = "{}"${{SAGABOX_TEST_HOOK}}"/a" }}
           outbox.outcomes.a.compensated = "select '"${{SAGABOX_TEST_HOOK}}"'::int")",
        stub.url("/hooks/"))));
    ::unsetenv("SAGABOX_TEST_HOOK");
    const std::string event = emit("1", "a");
    ASSERT_TRUE(relay.wait_for_log("PostgreSQL refused the outcome SQL", patience)) << relay.log();
    EXPECT_EQ(result(event, "a", "endpoint_url"), stub.url("/hooks/***/a"));
    EXPECT_THAT(relay.log(), Not(HasSubstr("h00k-value")));
}

} // namespace
} // namespace sagabox::testing
