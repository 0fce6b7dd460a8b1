// What leaves, what is kept and what is shown, where a configuration draws lines.
#include "tests/functional/api_fixture.hpp"
#include "tests/functional/program_run.hpp"

#include <csignal>

namespace sagabox::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Safety : public ApiRelayTest {};

TEST_F(Safety, what_is_redacted_is_sent_whole_and_kept_and_shown_nowhere)
{
    stub.on("/a", answer(200, R"({"id": "a-1", "token": "answer-token"})"));
    stub.on("/a/a-1", answer(200, R"({"note": "undo-token"})"));
    stub.on("/b", answer(400));
    Config text = config();
    text.with("http.port = 0");
    text.with(fmt::format(
        "outbox.http.routes.a {{ url = \"{0}\", "
        "redact {{ request = [\"$.card\"], response = [\"$.token\"] }}, revert {{ url = "
        "\"{0}/{{id}}\", extract {{ id = \"$.id\", order = \"request:$.order\" }}, method = POST, "
        "payload = {{ order = \"{{order}}\", why = \"undo-reason\" }}, "
        "redact {{ request = [\"$.why\"], response = [\"$.note\"] }} }} }}",
        stub.url("/a")));
    text.route("b", stub).fanout("Made", {"a", "b"});
    StartedRelay relay(text);
    const std::string event =
        emit("1", "Made", R"({"a": {"card": "4111-1111", "order": 7}, "b": {}})");
    await_end(event, "PROCESSED");

    EXPECT_THAT(stub.arrivals("/a").at(0).body, HasSubstr("4111-1111"));
    EXPECT_THAT(stub.arrivals("/a/a-1").at(0).body, HasSubstr("undo-reason"));
    EXPECT_EQ(result(event, "a", "request_payload->>'card'"), "[redacted]");
    EXPECT_EQ(result(event, "a", "response_payload::text"),
              R"({"id": "a-1", "token": "[redacted]"})");
    EXPECT_EQ(result(event, "a.revert", "request_payload::text"),
              R"({"why": "[redacted]", "order": "7"})");

    const std::uint16_t port = port_of(relay);
    const std::string everything = get(port, "/api/outbox/events/" + event).body +
                                   get(port, "/api/outbox/events/" + event + "/explain").body +
                                   get(port, "/api/outbox/sagas").body +
                                   get(port, "/api/dead-letters/" + letter(event, "id")).body;
    EXPECT_THAT(everything, HasSubstr("[redacted]"));
    for (const char* hidden : {"4111-1111", "answer-token", "undo-token", "undo-reason"}) {
        EXPECT_THAT(everything, Not(HasSubstr(hidden)));
        EXPECT_THAT(relay.log(), Not(HasSubstr(hidden)));
    }
}

TEST_F(Safety, an_address_that_network_denies_is_not_called_and_the_letter_says_so)
{
    Config text = abc();
    text.fanout("Made", {"a"}).with("network { deny = [loopback] }\noutbox.maxRetries = 0");
    StartedRelay relay(text);
    const std::string event = emit("1", "Made");
    await_end(event, "PROCESSED");
    EXPECT_EQ(stub.connections(), 0U);
    EXPECT_THAT(letter(event, "last_error"),
                HasSubstr("the network rules do not permit a connection to 127.0.0.1"));
}

TEST_F(Safety, no_core_dump_is_written_in_which_secrets_could_stand)
{
    StartedRelay relay(abc());
    std::ifstream limits("/proc/" + std::to_string(relay.pid()) + "/limits");
    std::string line;
    while (std::getline(limits, line) && !line.starts_with("Max core file size")) {
    }
    EXPECT_THAT(line, ::testing::MatchesRegex("Max core file size +0 +0 +bytes *"));
}

TEST_F(Safety, the_trace_of_the_application_s_transaction_goes_on_in_every_call)
{
    Config text = abc();
    stub.on("/b", answer(400));
    StartedRelay relay(text.fanout("Made", {"a", "b"}));
    const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    sql->exec("begin; set local sagabox.traceparent = '00-" + trace +
              "-00f067aa0ba902b7-01'; select outbox_emit('1', 'Made', '{}'); "
              "insert into outbox_events (aggregate_id, event_type, payloads) values ('2', 'Made', "
              "'{}'); commit");
    sql->exec("insert into outbox_events (aggregate_id, event_type, payloads, traceparent) values "
              "('3', 'Made', '{}', '00-" +
              trace + "-00f067aa0ba902b7-01')");
    sql->exec("insert into outbox_events (aggregate_id, event_type, payloads) values ('4', 'Made', "
              "'{}')");
    await_count("dead_letter_events where status = 'PROCESSED'", 4);

    std::map<std::string, int> calls_of_trace;
    for (const Arrival& call : stub.arrivals()) {
        const bool ours = call.header("traceparent").substr(3, 32) == trace;
        EXPECT_EQ(ours, call.header("X-Aggregate-Id") != "4") << call.target;
        calls_of_trace[call.target] += ours ? 1 : 0;
    }
    EXPECT_EQ(calls_of_trace["/a"], 3);
    EXPECT_EQ(calls_of_trace["/b"], 3);
    EXPECT_EQ(calls_of_trace["/a/undo"], 3);
}

TEST_F(Safety, a_log_in_json_has_one_object_a_line_with_what_a_program_looks_for)
{
    Config text = abc();
    stub.on("/b", answer(503)).then(answer(200));
    text.fanout("Made", {"a", "b"}).with("log { format = json, levels { database = error } }");
    RelayProcess relay(text);
    ASSERT_TRUE(relay.wait_for_log("started: 1 workers", patience)) << relay.log();
    const std::string event = emit("order \"1\"", "Made");
    await_status(event, "PROCESSED");
    relay.signal(SIGTERM);
    ASSERT_EQ(relay.wait_exit(patience), 0);

    std::istringstream lines(relay.log());
    int attempts = 0;
    for (std::string line; std::getline(lines, line);) {
        const Result<json::Value> read = json::parse(line);
        ASSERT_TRUE(read) << line;
        for (const char* field : {"time", "level", "part", "message"}) {
            EXPECT_NE(read->find(field), nullptr) << line;
        }
        EXPECT_NE(*read->find("part"), json::Value("database")) << line;
        if (read->find("destination") != nullptr &&
            *read->find("destination") == json::Value("b") &&
            *read->find("status") == json::Value::integer(503)) {
            ++attempts;
            EXPECT_EQ(json::write(*read->find("event")), event);
            EXPECT_EQ(*read->find("aggregate"), json::Value("order \"1\""));
            EXPECT_EQ(*read->find("type"), json::Value("Made"));
            EXPECT_EQ(*read->find("attempt"), json::Value::integer(1));
            EXPECT_EQ(*read->find("level"), json::Value("warning"));
            EXPECT_EQ(*read->find("outcome"), json::Value("failed"));
            EXPECT_NE(read->find("durationMs")->as_number(), nullptr);
            EXPECT_THAT(*read->find("next")->as_string(), HasSubstr("again in 50 ms"));
        }
    }
    EXPECT_EQ(attempts, 1);
}

class ReloadByApi : public ApiRelayTest {};

TEST_F(ReloadByApi, puts_the_new_file_in_force_and_says_which)
{
    Config text = abc();
    text.with("http.port = 0").fanout("Made", {"a"});
    StartedRelay relay(text);
    const std::uint16_t port = port_of(relay);
    stub.on("/new", answer(200));
    relay.rewrite_config(text.route("new", stub).fanout("Made", {"new"}).text());
    const HttpAnswer answer = post(port, "/api/reload");
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.at("file"), relay.config_file().string());
    await_status(emit("1", "Made"), "PROCESSED");
    EXPECT_EQ(calls(), "POST /new");
}

TEST_F(ReloadByApi, with_a_bad_file_names_every_problem_without_secrets_and_changes_nothing)
{
    Config text = abc();
    text.with("http.port = 0").fanout("Made", {"a"});
    StartedRelay relay(text);
    const std::uint16_t port = port_of(relay);
    relay.rewrite_config(text.text() + "outbox.bacthSize = 1\noutbox.poolSize = 0\n"
                                       "outbox.http.routes.a.sign.secret = not-a-good-secret\n");
    const HttpAnswer answer = post(port, "/api/reload");
    EXPECT_EQ(answer.status, 422);
    EXPECT_THAT(answer.body, HasSubstr("bacthSize"));
    EXPECT_THAT(answer.body, HasSubstr("outbox.poolSize"));
    EXPECT_THAT(answer.body, Not(HasSubstr("not-a-good-secret")));
    await_status(emit("1", "Made"), "PROCESSED");
    EXPECT_EQ(calls(), "POST /a");
}

TEST_F(ReloadByApi, is_refused_from_another_origin_and_by_get)
{
    Config text = abc();
    StartedRelay relay(text.with("http.port = 0").fanout("Made", {"a"}));
    const std::uint16_t port = port_of(relay);
    EXPECT_EQ(post(port, "/api/reload", "", "Origin: http://elsewhere.example\r\n").status, 403);
    EXPECT_EQ(get(port, "/api/reload").status, 405);
    EXPECT_THAT(relay.log(), Not(HasSubstr("reloaded")));
}

} // namespace
} // namespace sagabox::testing
