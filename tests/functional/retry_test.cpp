#include "tests/functional/saga_fixture.hpp"

#include <ctime>
#include <set>

namespace sagabox::testing {
namespace {

using ::testing::HasSubstr;

class Retry : public SagaTest {
protected:
    /// A destination at `/<name>` that is the fan-out of the type of its own name.
    static std::string plain(const StubServer& stub, const std::string& name,
                             const std::string& more = {})
    {
        return fmt::format("outbox.http.routes.{} {{ url = \"{}\"\n{} }}", name,
                           stub.url("/" + name), more);
    }

    static std::string http_date(std::chrono::seconds from_now)
    {
        const std::time_t moment =
            std::chrono::system_clock::to_time_t(std::chrono::system_clock::now() + from_now);
        std::tm utc{};
        ::gmtime_r(&moment, &utc);
        char text[40];
        std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &utc);
        return text;
    }
};

TEST_F(Retry, repeats_the_failed_step_alone_and_routes_by_the_stored_answer)
{
    stub.on("/a", answer(200, R"({"risk":25})"));
    stub.on("/low", answer(500)).then(answer(500)).then(answer(200));
    stub.on("/c", answer(200));
    StartedRelay relay(config()
                           .route("a", stub)
                           .route("c", stub)
                           .with(fmt::format(R"(outbox.http.routes.b.routes = [
                               {{ url = "{}", condition {{ jsonPath = "$.risk", operator = gte, value = 50, previousDestination = a }} }}
                               {{ url = "{}", condition {{ jsonPath = "$.risk", operator = lt, value = 50, previousDestination = a }} }}
                           ])",
                                             stub.url("/high"), stub.url("/low")))
                           .fanout("Made", {"a", "b", "c"}));
    const std::string event = emit("1", "Made");
    await_status(event, "PROCESSED");

    EXPECT_EQ(calls(), "POST /a, POST /low, POST /low, POST /low, POST /c");
    EXPECT_EQ(results(event), "a succeeded, b failed, b failed, b succeeded, c succeeded");
}

TEST_F(Retry, sends_the_same_bytes_under_the_same_key_at_each_attempt)
{
    stub.on("/a", answer(503))
        .then({.manner = Reply::Manner::close})
        .then(answer(500))
        .then(answer(200));
    StartedRelay relay(config().with(plain(stub, "a")));
    const std::string event = emit(
        "1", "a",
        R"({"a":{"z":1.10,"amount":12345678901234567890123456789.10,"b":{"y":"ü","x":null}}})");
    await_status(event, "PROCESSED");

    const std::vector<Arrival> all = stub.arrivals("/a");
    ASSERT_EQ(all.size(), 4U);
    std::set<std::string> bodies;
    std::set<std::string> keys;
    std::set<std::string> traces;
    for (const Arrival& one : all) {
        bodies.insert(one.body);
        keys.insert(one.header("Idempotency-Key"));
        traces.insert(one.header("traceparent"));
    }
    EXPECT_EQ(bodies.size(), 1U);
    EXPECT_THAT(*bodies.begin(), HasSubstr("12345678901234567890123456789.10"));
    EXPECT_EQ(keys.size(), 1U);
    EXPECT_EQ(traces.size(), 1U);
}

TEST_F(Retry, writes_down_every_arrival_though_kept_connections_are_closed_on_it)
{
    StartedRelay relay(config().with(plain(stub, "a")).with(plain(stub, "b", "method = DELETE")));
    for (const std::string name : {"a", "b"}) {
        stub.on("/" + name, answer(200));
        await_status(emit("warm-" + name, name), "PROCESSED");
        stub.on("/" + name, {.manner = Reply::Manner::close})
            .then({.manner = Reply::Manner::reset})
            .then(answer(200));
        const std::string event = emit(name, name);
        await_status(event, "PROCESSED");
        EXPECT_EQ(arrivals("/" + name), 4U);
        EXPECT_EQ(results(event), fmt::format("{0} unknown, {0} unknown, {0} succeeded", name));
    }
}

TEST_F(Retry, takes_a_time_out_for_unknown_and_tries_again)
{
    stub.on("/a", hanging()).then(answer(200));
    StartedRelay relay(config().with(plain(stub, "a", "timeout = 200 milliseconds")));
    const std::string event = emit("1", "a");
    await_status(event, "PROCESSED");
    EXPECT_EQ(results(event), "a unknown, a succeeded");
    EXPECT_EQ(arrivals("/a"), 2U);
}

TEST_F(Retry, tells_a_refused_connection_from_an_unknown_outcome)
{
    std::string nobody;
    {
        const StubServer gone;
        nobody = gone.url("/");
    }
    StartedRelay relay(config()
                           .with("outbox.maxRetries = 1")
                           .with("outbox.http.routes.a { url = \"" + nobody + "\" }"));
    const std::string event = emit("1", "a");
    await_end(event, "PROCESSED");
    EXPECT_EQ(results(event), "a failed, a failed");
    EXPECT_EQ(letter(event, "reason"), "MAX_RETRIES_EXCEEDED");
}

TEST_F(Retry, gives_up_after_the_first_attempt_and_its_retries)
{
    stub.on("/a", answer(500));
    StartedRelay relay(config().with("outbox.maxRetries = 2").with(plain(stub, "a")));
    const std::string event = emit("1", "a");
    await_end(event, "PROCESSED");
    EXPECT_EQ(arrivals("/a"), 3U);
    EXPECT_EQ(letter(event, "retry_count"), "2");
    EXPECT_EQ(letter(event, "reason"), "MAX_RETRIES_EXCEEDED");
    EXPECT_EQ(sql->one("select moved_to_dlq from outbox_events where id = $1", {event}), "t");
}

TEST_F(Retry, reads_each_status_as_the_contract_says)
{
    struct Row {
        int status;
        std::string outcome;
    };
    const std::vector<Row> rows{
        {201, "succeeded"}, {204, "succeeded"}, {301, "rejected"}, {304, "rejected"},
        {400, "rejected"},  {401, "rejected"},  {404, "rejected"}, {410, "rejected"},
        {422, "rejected"},  {408, "failed"},    {425, "failed"},   {429, "failed"},
        {500, "failed"},    {503, "failed"},    {502, "unknown"},  {504, "unknown"}};
    Config text = config().with("outbox.maxRetries = 1");
    for (const Row& row : rows) {
        const std::string name = fmt::format("s{}", row.status);
        stub.on("/" + name, answer(row.status, row.status == 204 || row.status == 304 ? "" : "{}"));
        text.with(plain(stub, name));
    }
    StartedRelay relay(text);
    for (const Row& row : rows) {
        const std::string name = fmt::format("s{}", row.status);
        const std::string event = emit(name, name);
        const bool again = row.outcome == "failed" || row.outcome == "unknown";
        await_status(event, "PROCESSED");
        EXPECT_EQ(result(event, name, "outcome"), row.outcome) << row.status;
        EXPECT_EQ(result(event, name, "response_status"), std::to_string(row.status));
        EXPECT_EQ(arrivals("/" + name), again ? 2U : 1U) << row.status;
        EXPECT_EQ(sql->one("select moved_to_dlq from outbox_events where id = $1", {event}),
                  row.outcome == "succeeded" ? "f" : "t")
            << row.status;
    }
}

TEST_F(Retry, obeys_a_route_that_reads_a_status_its_own_way)
{
    stub.on("/a", answer(404)).then(answer(409));
    stub.on("/b", answer(503));
    StartedRelay relay(config()
                           .with(plain(stub, "a", "classify { success = [409], retry = [404] }"))
                           .with(plain(stub, "b", R"(classify { reject = ["5xx"] })")));
    const std::string good = emit("1", "a");
    const std::string bad = emit("2", "b");
    await_status(good, "PROCESSED");
    await_end(bad, "PROCESSED");
    EXPECT_EQ(results(good), "a failed, a succeeded");
    EXPECT_EQ(results(bad), "b rejected");
}

TEST_F(Retry, follows_a_redirect_only_where_the_route_says_so)
{
    stub.on("/a", answer(302, "Location", stub.url("/elsewhere")));
    stub.on("/b", answer(307, "Location", stub.url("/elsewhere")));
    stub.on("/elsewhere", answer(200));
    StartedRelay relay(
        config().with(plain(stub, "a")).with(plain(stub, "b", "followRedirects = true")));
    const std::string stays = emit("1", "a");
    await_end(stays, "PROCESSED");
    EXPECT_EQ(arrivals("/elsewhere"), 0U);
    EXPECT_EQ(result(stays, "a", "response_status"), "302");
    EXPECT_EQ(letter(stays, "reason"), "NON_RETRYABLE_ERROR");

    const std::string follows = emit("2", "b");
    await_status(follows, "PROCESSED");
    EXPECT_EQ(results(follows), "b succeeded");
    EXPECT_EQ(arrivals("/elsewhere"), 1U);
}

TEST_F(Retry, waits_as_long_as_the_answer_asks_and_counts_it_as_an_attempt)
{
    stub.on("/a", answer(429, "Retry-After", "1")).then(answer(200));
    StartedRelay relay(config().with(plain(stub, "a")));
    const std::string event = emit("1", "a");
    await_status(event, "PROCESSED");
    const std::vector<Arrival> all = stub.arrivals("/a");
    ASSERT_EQ(all.size(), 2U);
    EXPECT_GE(all[1].at - all[0].at, 990ms);
    EXPECT_EQ(result(event, "a", "attempt"), "2");
}

TEST_F(Retry, uses_a_retry_after_only_where_it_is_sound)
{
    struct Row {
        std::string said;
        std::string pause; ///< empty: not usable
    };
    const std::vector<Row> rows{{"0", "0"},
                                {"7", "7000"},
                                {"  7  ", "7000"},
                                {"Sun, 06 Nov 1994 08:49:37 GMT", "0"},
                                {"Sunday, 06-Nov-94 08:49:37 GMT", "0"},
                                {"Sun Nov  6 08:49:37 1994", "0"},
                                {"99999999999999999999", "3600000"},
                                {"Fri, 31 Dec 9999 23:59:59 GMT", "3600000"},
                                {"4102444800", "3600000"},
                                {"4102444800000", "3600000"},
                                {"-5", ""},
                                {"+3", ""},
                                {"1.5", ""},
                                {"", ""},
                                {"abc", ""},
                                {"12abc", ""},
                                {"Sun, 06 Nov 1994 08:49:37 EST", ""}};
    Config text = config();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string name = fmt::format("r{}", i);
        stub.on("/" + name, answer(429, "Retry-After", rows[i].said)).then(answer(200));
        text.with(plain(stub, name));
    }
    StartedRelay relay(text);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string name = fmt::format("r{}", i);
        const std::string event = emit(name, name);
        sql->await("select count(*) from aggregate_results where attempt = 1 and event_id = " +
                       event,
                   "1");
        EXPECT_EQ(sql->one("select retry_after_ms from aggregate_results "
                           "where attempt = 1 and event_id = $1",
                           {event}),
                  rows[i].pause)
            << rows[i].said;
        if (rows[i].pause.empty() || rows[i].pause == "0") {
            await_status(event, "PROCESSED");
        } else {
            await_status(event, "PENDING");
            EXPECT_EQ(
                sql->one("select next_retry_at between now() + $2::int * interval '1 ms' - "
                         "interval '2 s' "
                         "and now() + $2::int * interval '1 ms' from outbox_events where id = $1",
                         {event, rows[i].pause}),
                "t");
        }
    }
}

TEST_F(Retry, waits_until_the_date_that_the_answer_names)
{
    stub.on("/a", answer(503, "Retry-After", http_date(30s)));
    StartedRelay relay(config().with(plain(stub, "a")));
    const std::string event = emit("1", "a");
    await_status(event, "PENDING");
    sql->await("select next_retry_at between now() + interval '25 s' and now() + interval '31 s' "
               "from outbox_events where id = " +
                   event,
               "t");
}

TEST_F(Retry, takes_two_different_pauses_for_none)
{
    stub.on("/a", {.status = 429, .headers = {{"Retry-After", "60"}, {"Retry-After", "90"}}})
        .then(answer(200));
    StartedRelay relay(config().with(plain(stub, "a")));
    const std::string event = emit("1", "a");
    await_status(event, "PROCESSED");
    EXPECT_EQ(results(event), "a failed, a succeeded");
}

TEST_F(Retry, finds_the_pause_where_the_route_says_that_it_stands)
{
    stub.on("/a", answer(429, R"({"error":{"waitMs":1500}})"));
    stub.on("/b", answer(503));
    StartedRelay relay(
        config()
            .with(plain(
                stub, "a",
                R"(retryAfter { fromBody = true, jsonPath = "$.error.waitMs", format = milliseconds })"))
            .with(plain(stub, "b", "retryAfter { fallbackSeconds = 40 }")));
    const std::string from_body = emit("1", "a");
    const std::string fallback = emit("2", "b");
    await_count("aggregate_results", 2);
    EXPECT_EQ(result(from_body, "a", "retry_after_ms"), "1500");
    EXPECT_EQ(result(fallback, "b", "retry_after_ms"), "40000");
}

} // namespace
} // namespace sagabox::testing
