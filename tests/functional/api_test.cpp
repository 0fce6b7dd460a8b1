#include "tests/functional/api_fixture.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

namespace sagabox::testing {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class ApiEvents : public ApiRelayTest {};

TEST_F(ApiEvents, shows_an_event_with_every_result_and_what_comes_next)
{
    Config text = abc();
    text.with("outbox.backoff { kind = linear, base = 1 hour, max = 1 hour }");
    stub.on("/b", answer(500, "{\"amount\": 100.10}"));
    const StartedRelay relay(text);
    const std::uint16_t port = port_of(relay);
    const std::string event = emit("order-1", "Made", R"({"a": {"id": 12345678901234567890}})");
    sql->await("select retry_count from outbox_events", "1");

    const HttpAnswer shown = get(port, "/api/outbox/events/" + event);
    ASSERT_EQ(shown.status, 200) << shown.body;
    EXPECT_EQ(shown.at("status"), "PENDING");
    EXPECT_EQ(shown.at("aggregateId"), "order-1");
    EXPECT_EQ(shown.at("deadLetter"), "null");
    EXPECT_THAT(shown.at("payloads"), HasSubstr("12345678901234567890"));
    EXPECT_THAT(shown.at("results"), HasSubstr("100.10"));
    EXPECT_THAT(shown.at("next"), HasSubstr("\"action\":\"call\""));
    EXPECT_THAT(shown.at("next"), HasSubstr("\"destination\":\"b\""));
    EXPECT_THAT(shown.at("next"), HasSubstr("\"attempt\":2"));
    EXPECT_THAT(shown.at("next"), HasSubstr(shown.at("nextRetryAt")));
    EXPECT_EQ(get(port, "/api/outbox/events/" + std::to_string(std::stoll(event) + 1)).status, 404);
}

TEST_F(ApiEvents, lists_page_by_page_each_event_once)
{
    const StartedRelay relay(abc());
    const std::uint16_t port = port_of(relay);
    sql->exec("insert into outbox_events (aggregate_id, event_type, payloads, status) "
              "select 'order-' || n % 3, case when n % 2 = 0 then 'Even' else 'Odd' end, '{}', "
              "case when n % 5 = 0 then 'CANCELLED' else 'PROCESSED' end "
              "from generate_series(1, 100) n");
    const auto count = [&](const std::string& filter) {
        std::size_t found = 0;
        std::string next;
        do {
            const HttpAnswer page = get(port, "/api/outbox/events?limit=7" + filter +
                                                  (next.empty() ? "" : "&before=") + next);
            EXPECT_EQ(page.status, 200) << page.body;
            found += items_in(page);
            next = page.at("next");
        } while (next != "null");
        return std::to_string(found);
    };
    const auto really = [&](const std::string& where) {
        return sql->one("select count(*) from outbox_events where " + where);
    };
    EXPECT_EQ(count(""), "100");
    EXPECT_EQ(count("&type=Even"), really("event_type = 'Even'"));
    EXPECT_EQ(count("&status=CANCELLED"), really("status = 'CANCELLED'"));
    EXPECT_EQ(count("&aggregate=order-1"), really("aggregate_id = 'order-1'"));
    EXPECT_EQ(count("&aggregate=order-1&type=Odd&status=PROCESSED"),
              really("aggregate_id = 'order-1' and event_type = 'Odd' and status = 'PROCESSED'"));
    EXPECT_EQ(count("&status=PENDING"), "0");
    EXPECT_EQ(count("&type=%27%3B%20drop%20table%20outbox_events%3B--"), "0");
    EXPECT_EQ(count("&aggregate=%E2%80%AE%3Cscript%3E"), "0");
}

TEST_F(ApiEvents, finds_what_waits_however_many_have_ended_since)
{
    Config text = config();
    text.with("outbox.poolSize = 1").route("a", stub).fanout("Made", {"a"});
    const StartedRelay relay(text);
    const std::uint16_t port = port_of(relay);
    sql->exec("insert into outbox_events (aggregate_id, event_type, payloads, next_retry_at) "
              "values ('early', 'Made', '{}', now() + interval '1 day')");
    sql->exec("insert into outbox_events (aggregate_id, event_type, payloads, status) "
              "select 'x', 'Made', '{}', 'PROCESSED' from generate_series(1, 11000)");
    const HttpAnswer waiting = get(port, "/api/outbox/events?status=PENDING");
    EXPECT_EQ(items_in(waiting), 1U) << waiting.body;
    EXPECT_EQ(waiting.at("next"), "null");
    // Looked at no more than the bound, and said where to go on.
    const HttpAnswer rare = get(port, "/api/outbox/events?type=Nothing");
    EXPECT_EQ(items_in(rare), 0U);
    EXPECT_NE(rare.at("next"), "null");
    const HttpAnswer stats = get(port, "/api/outbox/stats");
    EXPECT_EQ(stats.status, 200);
    EXPECT_THAT(stats.at("events"), HasSubstr("\"exact\":false"));
    EXPECT_EQ(stats.at("oldestPendingAgeMs"), "null");
}

TEST_F(ApiEvents, tells_which_destinations_are_left_alone_until_when_and_why)
{
    const StartedRelay relay(abc());
    const std::uint16_t port = port_of(relay);
    EXPECT_EQ(get(port, "/api/outbox/stats").at("destinationsLeftAlone"), "[]");
    sql->exec(
        "insert into outbox_destinations (name, open_until, held_until, failures, last_error) "
        "values ('a', null, null, 0, null), "
        "('b', '2999-01-02 03:04:05+00', null, 5, 'HTTP 503'), "
        "('c', now() - interval '1 hour', null, 3, 'no answer'), "
        "('d', null, '2999-01-02 03:04:05+00', 0, 'HTTP 429')");
    const std::string alone = get(port, "/api/outbox/stats").at("destinationsLeftAlone");
    std::map<std::string, nlohmann::json> by_name;
    for (const nlohmann::json& one : nlohmann::json::parse(alone)) {
        by_name[one.at("destination")] = one;
    }
    EXPECT_FALSE(by_name.contains("a"));
    EXPECT_EQ(by_name["b"].at("state"), "open");
    EXPECT_EQ(by_name["b"].at("until"), "2999-01-02T03:04:05Z");
    EXPECT_EQ(by_name["b"].at("failures"), 5);
    EXPECT_EQ(by_name["b"].at("why"), "HTTP 503");
    EXPECT_EQ(by_name["c"].at("state"), "half_open");
    EXPECT_EQ(by_name["d"].at("state"), "held");
}

TEST_F(ApiEvents, makes_a_waiting_event_due_for_exactly_one_of_many_clicks)
{
    Config text = abc();
    text.with("outbox.backoff { kind = linear, base = 1 hour, max = 1 hour }");
    stub.on("/b", answer(500)).then(answer(200));
    const StartedRelay relay(text);
    const std::uint16_t port = port_of(relay);
    const std::string event = emit("order-1", "Made");
    sql->await("select retry_count from outbox_events", "1");

    std::vector<int> codes(8);
    std::vector<std::thread> clicks;
    for (int& code : codes) {
        clicks.emplace_back([&code, port, &event] {
            code = post(port, "/api/outbox/events/" + event + "/retry").status;
        });
    }
    for (std::thread& click : clicks) {
        click.join();
    }
    EXPECT_EQ(std::count(codes.begin(), codes.end(), 202), 1);
    EXPECT_EQ(std::count(codes.begin(), codes.end(), 409), 7);
    await_status(event, "PROCESSED");
    EXPECT_EQ(arrivals("/a"), 1U);
    EXPECT_EQ(arrivals("/b"), 2U);
    EXPECT_EQ(post(port, "/api/outbox/events/" + event + "/retry").status, 409);
    EXPECT_EQ(post(port, "/api/outbox/events/999/retry").status, 404);
}

TEST_F(ApiEvents, runs_an_event_again_that_was_compensated)
{
    Config text = abc();
    stub.on("/c", answer(400)).then(answer(200));
    const StartedRelay relay(text);
    const std::uint16_t port = port_of(relay);
    const std::string event = emit("order-1", "Made");
    await_letter(event, "PROCESSED");
    const HttpAnswer again = post(port, "/api/outbox/events/" + event + "/retry");
    EXPECT_EQ(again.status, 202) << again.body;
    EXPECT_EQ(again.at("effect"), "runAgain");
    EXPECT_EQ(again.at("run"), "2");
    await_status(event, "PROCESSED");
    sql->await("select moved_to_dlq from outbox_events", "f");
    EXPECT_EQ(arrivals("/a"), 2U);
    EXPECT_THAT(stub.arrivals("/a").back().header("Idempotency-Key"), EndsWith(":2"));
}

TEST_F(ApiEvents, runs_an_event_again_whose_undoing_failed_and_closes_its_letter)
{
    Config text = abc();
    stub.on("/b/undo", answer(400));
    stub.on("/c", answer(400)).then(answer(200));
    const StartedRelay relay(text);
    const std::uint16_t port = port_of(relay);
    const std::string event = emit("order-1", "Made");
    await_letter(event, "FAILED");
    EXPECT_EQ(post(port, "/api/outbox/events/" + event + "/retry", R"({"by": "Ann"})").status, 202);
    await_status(event, "PROCESSED");
    EXPECT_EQ(letter(event, "status || ' ' || resolved_by"), "RESOLVED Ann");
    // What still stood is not done twice.
    EXPECT_EQ(arrivals("/a"), 1U);
    EXPECT_EQ(arrivals("/b"), 1U);
    EXPECT_EQ(arrivals("/c"), 2U);
}

TEST_F(ApiEvents, does_not_run_an_event_again_while_a_call_of_it_is_in_doubt)
{
    Config text = abc();
    text.with("outbox.maxRetries = 0").with("outbox.dlq.maxRetries = 0");
    stub.on("/c", answer(400));
    stub.on("/b/undo", Reply{.manner = Reply::Manner::reset});
    const StartedRelay relay(text);
    const std::uint16_t port = port_of(relay);
    const std::string event = emit("order-1", "Made");
    await_letter(event, "FAILED");
    EXPECT_EQ(post(port, "/api/outbox/events/" + event + "/retry").status, 409);
    EXPECT_EQ(status_of(event), "PROCESSED");
    EXPECT_EQ(letter(event, "status"), "FAILED");
}

TEST_F(ApiEvents, cancels_and_lets_a_cancel_that_failed_go_on)
{
    Config text = abc();
    stub.on("/b/undo", answer(400)).then(answer(200));
    const StartedRelay relay(text);
    const std::uint16_t port = port_of(relay);
    const std::string event = emit("order-1", "Made");
    await_status(event, "PROCESSED");
    const HttpAnswer asked = post(port, "/api/outbox/events/" + event + "/cancel");
    EXPECT_EQ(asked.status, 202) << asked.body;
    EXPECT_EQ(asked.at("eventType"), "!Made");
    const std::string cancel = asked.at("id");
    await_status(cancel, "FAILED");
    EXPECT_EQ(post(port, "/api/outbox/events/" + cancel + "/cancel").status, 409);
    EXPECT_THAT(get(port, "/api/outbox/events/" + cancel).at("next"), HasSubstr("needsPerson"));

    const HttpAnswer again = post(port, "/api/outbox/events/" + cancel + "/retry");
    EXPECT_EQ(again.status, 202) << again.body;
    EXPECT_EQ(again.at("effect"), "undoing");
    await_status(cancel, "PROCESSED");
    EXPECT_EQ(calls(), "POST /a, POST /b, POST /c, DELETE /c/undo, DELETE /b/undo, "
                       "DELETE /b/undo, DELETE /a/undo");
    EXPECT_EQ(post(port, "/api/outbox/events/" + cancel + "/retry").status, 409);
    const HttpAnswer shown = get(port, "/api/outbox/events/" + cancel);
    EXPECT_THAT(shown.at("results"), HasSubstr("\"destination\":\"a.revert\""));
    EXPECT_EQ(post(port, "/api/outbox/events/999/cancel").status, 404);
}

class ApiLetters : public ApiRelayTest {};

TEST_F(ApiLetters, are_listed_shown_given_back_and_closed)
{
    Config text = abc();
    stub.on("/b/undo", answer(400)).then(answer(200));
    stub.on("/c", answer(422));
    const StartedRelay relay(text);
    const std::uint16_t port = port_of(relay);
    const std::string event = emit("order-1", "Made");
    await_letter(event, "FAILED");
    const HttpAnswer list = get(port, "/api/dead-letters?status=FAILED&reason=NON_RETRYABLE_ERROR");
    ASSERT_EQ(items_in(list), 1U) << list.body;
    EXPECT_EQ(items_in(get(port, "/api/dead-letters?status=PROCESSED")), 0U);
    const std::string id = letter(event, "id");
    const std::string path = "/api/dead-letters/" + id;
    EXPECT_THAT(get(port, path).at("revertError"), HasSubstr("b.revert"));
    EXPECT_EQ(get(port, "/api/dead-letters/999").status, 404);

    EXPECT_EQ(post(port, path + "/retry").status, 202);
    await_letter(event, "PROCESSED");
    EXPECT_EQ(post(port, path + "/retry").status, 409);
    EXPECT_EQ(post(port, path + "/resolve", R"({"note": "late"})").status, 409);
    EXPECT_EQ(post(port, "/api/dead-letters/999/retry").status, 404);
    EXPECT_EQ(get(port, "/api/dead-letters/" + id).at("resolution"), "null");
}

TEST_F(ApiLetters, keep_who_closed_them_when_and_why)
{
    Config text = abc();
    stub.on("/c/undo", answer(400));
    stub.on("/b/undo", answer(400));
    stub.on("/c", answer(422));
    const StartedRelay relay(text);
    const std::uint16_t port = port_of(relay);
    const std::string event = emit("order-1", "Made");
    await_letter(event, "FAILED");
    const std::string path = "/api/dead-letters/" + letter(event, "id");
    EXPECT_EQ(post(port, path + "/resolve").status, 422);
    const std::string note = R"(paid back by hand <img src=x onerror=alert(1)> \u202e)";
    EXPECT_EQ(post(port, path + "/resolve", R"({"by": "Ann", "note": ")" + note + "\"}").status,
              202);
    EXPECT_EQ(post(port, path + "/resolve", R"({"note": "again"})").status, 409);
    const HttpAnswer shown = get(port, path);
    EXPECT_EQ(shown.at("status"), "RESOLVED");
    EXPECT_THAT(shown.at("resolution"), HasSubstr("\"by\":\"Ann\""));
    EXPECT_THAT(shown.at("resolution"), HasSubstr("paid back by hand <img"));
}

class ApiServing : public ApiRelayTest {};

TEST_F(ApiServing, tells_watchers_what_changes)
{
    const StartedRelay relay(abc());
    const std::uint16_t port = port_of(relay);
    http::RawClient watcher(port);
    watcher.send("GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THAT(watcher.read_until("event: hello"), HasSubstr("text/event-stream"));
    watcher.read_until("still here");
    const std::string event = emit("order-1", "Made");
    EXPECT_THAT(watcher.read_until("event: change"), HasSubstr("event: change"));
    EXPECT_THAT(watcher.read_until("\"events\":[" + event + "]"),
                HasSubstr("\"events\":[" + event + "]"));
}

TEST_F(ApiServing, refuses_one_watcher_too_many)
{
    const StartedRelay relay(abc());
    const std::uint16_t port = port_of(relay);
    std::vector<std::unique_ptr<http::RawClient>> watchers;
    for (int i = 0; i < 32; ++i) {
        watchers.push_back(std::make_unique<http::RawClient>(port));
        watchers.back()->send("GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
        EXPECT_THAT(watchers.back()->read_until("event: hello"), HasSubstr("200"));
    }
    EXPECT_EQ(get(port, "/api/stream").status, 503);
}

TEST_F(ApiServing, stops_with_a_watcher_looking_on)
{
    RelayProcess relay(abc());
    ASSERT_TRUE(relay.wait_until_started());
    http::RawClient watcher(port_of(relay));
    watcher.send("GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
    watcher.read_until("event: hello");
    relay.signal(SIGTERM);
    EXPECT_EQ(relay.wait_exit(10s), 0) << relay.log();
}

TEST_F(ApiServing, wants_the_token_and_never_shows_a_secret)
{
    Config text = config();
    text.with("http.auth.token = t0ken-of-mine");
    text.with("outbox.http.routes.a { url = \"" + stub.url("/a") +
              "?key=s3cret-key\", headers { Authorization = \"s3cret-header\" } }");
    text.fanout("Made", {"a"});
    stub.on("/a", answer(400, "{\"error\": \"bad\"}"));
    const StartedRelay relay(text);
    const std::uint16_t port = port_of(relay);
    const std::string event = emit("order-1", "Made");
    await_letter(event, "PROCESSED");
    sql->exec("update outbox_events set last_error = 'refused s3cret-header'");
    EXPECT_EQ(get(port, "/api/outbox/stats").status, 401);
    const std::string token = "Authorization: Bearer t0ken-of-mine\r\n";
    const HttpAnswer shown = get(port, "/api/outbox/events/" + event, token);
    EXPECT_EQ(shown.status, 200);
    EXPECT_THAT(shown.body, Not(HasSubstr("s3cret")));
    EXPECT_EQ(shown.at("lastError"), "refused ***");
    EXPECT_THAT(shown.head, HasSubstr("Content-Security-Policy: default-src 'none'"));
    EXPECT_EQ(get(port, "/healthz").status, 200);
}

TEST_F(ApiServing, refuses_hostile_requests_over_the_wire)
{
    const StartedRelay relay(abc());
    const std::uint16_t port = port_of(relay);
    EXPECT_EQ(send(port, "GET /api/outbox/stats HTTP/1.1\r\nHost: evil.example\r\n\r\n").status,
              403);
    EXPECT_EQ(
        post(port, "/api/outbox/events/1/cancel", "", "Origin: http://evil.example\r\n").status,
        403);
    EXPECT_EQ(get(port, "/api/outbox/events/%00").status, 400);
    EXPECT_EQ(get(port, "/api/outbox/events/%ff").status, 400);
    EXPECT_EQ(get(port, "/api/outbox/events?status=PENDING&status=FAILED").status, 400);
    EXPECT_EQ(get(port, "/api/outbox/events/1%20or%201=1").status, 400);
    EXPECT_EQ(get(port, "/api/outbox/events?aggregate=" + std::string(20'000, 'a')).status, 200);
    const HttpAnswer too_large =
        send(port, "POST /api/dead-letters/1/resolve HTTP/1.1\r\nHost: localhost\r\n"
                   "Content-Type: application/json\r\nContent-Length: 2000000\r\n\r\n");
    EXPECT_EQ(too_large.status, 413);
    http::RawClient client(port);
    client.send("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(client.read_until("never sent"), AllOf(HasSubstr("200"), EndsWith("\r\n\r\n")));
}

TEST_F(ApiServing, says_that_the_database_is_away_in_time_and_recovers)
{
    const StartedRelay relay(abc());
    const std::uint16_t port = port_of(relay);
    await_ready(port);
    ASSERT_EQ(get(port, "/api/outbox/stats").status, 200);
    ASSERT_TRUE(Postgres::instance().cluster().stop());
    std::vector<std::thread> askers;
    std::vector<int> codes(16);
    const auto begun = std::chrono::steady_clock::now();
    for (int& code : codes) {
        askers.emplace_back([&code, port] { code = get(port, "/api/outbox/events").status; });
    }
    for (std::thread& asker : askers) {
        asker.join();
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 3s);
    EXPECT_EQ(std::count(codes.begin(), codes.end(), 503), 16);
    const HttpAnswer unready = get(port, "/readyz");
    EXPECT_EQ(unready.status, 503);
    EXPECT_THAT(unready.at("database"), HasSubstr("\"reachable\":false"));
    EXPECT_EQ(get(port, "/healthz").status, 200);
    ASSERT_TRUE(Postgres::instance().cluster().restart());
    await_ready(port);
    EXPECT_EQ(get(port, "/api/outbox/stats").status, 200);
    sql = std::make_unique<Sql>(url);
}

TEST_F(ApiServing, answers_before_the_database_is_there)
{
    const RelayProcess relay(Config("postgresql://app@127.0.0.1:1/none"));
    const std::uint16_t port = port_of(relay);
    EXPECT_EQ(get(port, "/healthz").status, 200);
    EXPECT_EQ(get(port, "/readyz").status, 503);
    EXPECT_THAT(get(port, "/readyz").at("relay"), HasSubstr("\"started\":false"));
}

TEST_F(ApiServing, relays_without_a_port_that_is_taken_and_takes_it_over_when_it_is_free)
{
    auto first = std::make_unique<StartedRelay>(abc());
    const std::uint16_t port = port_of(*first);
    Config text = abc();
    text.with("http.port = " + std::to_string(port));
    const StartedRelay second(text);
    EXPECT_TRUE(second.wait_for_log("without an API until the port is free", patience));
    EXPECT_TRUE(second.wait_for_log(std::to_string(port), patience));
    first->signal(SIGTERM);
    EXPECT_EQ(first->wait_exit(patience), 0);
    EXPECT_EQ(port_of(second), port);
    await_ready(port);
}

TEST_F(ApiServing, does_not_start_beyond_the_loopback_without_a_token)
{
    RelayProcess relay(abc().with("http.address = \"0.0.0.0\""));
    EXPECT_EQ(relay.wait_exit(patience), 2);
    EXPECT_TRUE(relay.wait_for_log("http.auth.token", patience)) << relay.log();
}

} // namespace
} // namespace sagabox::testing
