#include "tests/functional/program_run.hpp"
#include "tests/functional/saga_fixture.hpp"
#include "json/value.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace sagabox::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A file of its own in a folder that goes with it.
class ConfigFile {
public:
    explicit ConfigFile(const std::string& text)
    {
        std::string folder = "/tmp/sagabox-cli-XXXXXX";
        if (::mkdtemp(folder.data()) == nullptr) {
            throw std::runtime_error("no folder for a configuration file under /tmp");
        }
        folder_ = folder;
        std::ofstream(path()) << text;
    }
    ~ConfigFile()
    {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    ConfigFile(const ConfigFile&) = delete;
    ConfigFile& operator=(const ConfigFile&) = delete;

    [[nodiscard]] std::string path() const { return folder_ / "shop.conf"; }

private:
    std::filesystem::path folder_;
};

TEST(Check, names_every_fault_on_a_line_of_its_own)
{
    const ConfigFile file(R"(outbox {
  bacthSize = 100
  backoff { base = soon }
  http.routes {
    a { url = "ftp://a.example/", method = "PO ST" }
    b { url = "http://b.example/", condition { jsonPath = "$[", operator = eq, value = 1 } }
    c { url = "http://c.example/", condition { jsonPath = "$.x", operator = like, value = 1 } }
    d { url = "http://d.example/", revert { url = "http://d.example/{id}" } }
    e { url = "http://e.example/", condition { jsonPath = "$.x", operator = eq, value = 1, previousDestination = d } }
    f { url = "http://f.example/", condition { jsonPath = "$[?match(@.x, '(')]", operator = exists } }
    g { url = "http://g.example/", timeout = -1 seconds }
  }
  http.fanout { Made = ["a", "nobody"], Other = ["e", "d"] }
  outcomes.Made.completed = "update orders set x = :no_such_name"
}
)");
    const ProgramRun run = run_program("check -c " + file.path());
    EXPECT_EQ(run.code, 2);
    for (const char* fault :
         {"bacthSize", "batchSize", "backoff.base", "a.url", "a.method", "b.condition.jsonPath",
          "c.condition.operator", "{id}", "previousDestination", "f.condition.jsonPath",
          "g.timeout", "nobody", "no_such_name"}) {
        EXPECT_THAT(run.output, HasSubstr(fault));
    }
    EXPECT_GE(std::count(run.output.begin(), run.output.end(), '\n'), 12);
    EXPECT_THAT(run.output, HasSubstr(file.path() + ":2: "));
}

TEST(Check, says_that_a_good_file_is_good_without_connecting)
{
    const ConfigFile file(R"(database.url = "postgresql://nobody@203.0.113.1:1/none"
                             outbox.http.routes.a.url = "http://a.invalid/"
                             play.server.http.port = 1)");
    const ProgramRun run = run_program("check -c " + file.path());
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_THAT(run.output, HasSubstr("good"));
}

TEST(Check, takes_a_missing_file_and_a_missing_include_for_errors)
{
    const ProgramRun missing = run_program("check -c /nowhere/shop.conf");
    EXPECT_EQ(missing.code, 2);
    EXPECT_THAT(missing.output, HasSubstr("/nowhere/shop.conf"));

    const ConfigFile file("include \"parts/routes.conf\"\n");
    const ProgramRun included = run_program("check -c " + file.path());
    EXPECT_EQ(included.code, 2);
    EXPECT_THAT(included.output, HasSubstr("routes.conf"));
}

TEST(Check, shows_no_secret_of_a_bad_file)
{
    const ConfigFile file(
        "database.url = ${?SAGABOX_TEST_DATABASE}\n"
        "outbox.http.routes.a { url = ${SAGABOX_TEST_URL}, headers { Authorization = [1] } }\n"
        "http.auth.token = { x = \"t0ken-of-mine\" }\n");
    ::setenv("SAGABOX_TEST_DATABASE", "postgresql://app:passw0rd-of-mine@h/db", 1);
    ::setenv("SAGABOX_TEST_URL", "gopher://user:passw0rd-of-mine@h/", 1);
    const ProgramRun run = run_program("check -c " + file.path());
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.output, AllOf(HasSubstr("a.url"), Not(HasSubstr("passw0rd-of-mine")),
                                  Not(HasSubstr("t0ken-of-mine"))));
}

TEST(CommandLine, answers_misuse_with_two_and_help_with_zero)
{
    EXPECT_EQ(run_program("").code, 2);
    EXPECT_EQ(run_program("fly").code, 2);
    EXPECT_EQ(run_program("check").code, 2);
    EXPECT_EQ(run_program("run --no-such-flag").code, 2);
    EXPECT_EQ(run_program("explain -c x.conf seven").code, 2);
    EXPECT_EQ(run_program("run -c /nowhere/shop.conf").code, 2);
    EXPECT_EQ(run_program("--help").code, 0);
    EXPECT_EQ(run_program("--version").code, 0);
    for (const char* command : {"demo", "run", "migrate", "check", "explain", "cancel"}) {
        const ProgramRun run = run_program(std::string(command) + " --help");
        EXPECT_EQ(run.code, 0) << command;
        EXPECT_THAT(run.output, HasSubstr("Usage")) << command;
    }
}

class Commands : public SagaTest {};

TEST_F(Commands, migrate_is_done_once)
{
    const ConfigFile file("database.url = \"" + Postgres::instance().fresh_database() + "\"");
    const ProgramRun first = run_program("migrate -c " + file.path());
    EXPECT_EQ(first.code, 0);
    EXPECT_THAT(first.output, HasSubstr("applied"));
    const ProgramRun second = run_program("migrate -c " + file.path());
    EXPECT_EQ(second.code, 0);
    EXPECT_THAT(second.output, Not(HasSubstr("applied")));
}

TEST_F(Commands, migrate_fails_where_nobody_answers)
{
    const ConfigFile file(
        "database.url = \"postgresql://nobody@127.0.0.1:1/none?password=s3cret-of-mine\"");
    const ProgramRun run = run_program("migrate -c " + file.path());
    EXPECT_EQ(run.code, 1);
    EXPECT_THAT(run.output, Not(HasSubstr("s3cret-of-mine")));
}

TEST_F(Commands, explain_says_what_comes_next_and_how_it_is_undone_without_calling)
{
    const Config text = abc();
    const ConfigFile file(text.text());
    const std::string event = emit("order-1", "Made");
    const ProgramRun before = run_program("explain -c " + file.path() + " " + event);
    EXPECT_EQ(before.code, 0);
    EXPECT_THAT(before.output,
                AllOf(HasSubstr("Made of order-1: PENDING"), HasSubstr("call a: POST"),
                      HasSubstr("nothing that it did needs undoing")));
    EXPECT_EQ(calls(), "");

    {
        StartedRelay relay(text);
        await_status(event, "PROCESSED");
    }
    const ProgramRun after = run_program("explain -c " + file.path() + " " + event);
    EXPECT_EQ(after.code, 0);
    EXPECT_THAT(after.output, AllOf(HasSubstr("next: nothing"),
                                    HasSubstr("undo 1: DELETE " + stub.url("/c/undo")),
                                    HasSubstr("undo 3: DELETE " + stub.url("/a/undo"))));
    EXPECT_EQ(stub.arrivals().size(), 3U);
}

TEST_F(Commands, print_json_where_they_print_data)
{
    const Config text = abc();
    const ConfigFile file(text.text());
    const auto json_of = [](const std::string& command) {
        const ProgramRun run = run_program(command);
        return json::parse(run.output).value_or(json::Value("no JSON: " + run.output));
    };
    EXPECT_EQ(json::write(json_of("check --json -c " + file.path())),
              R"({"good":true,"problems":[]})");
    EXPECT_EQ(json::write(*json_of("migrate --json -c " + file.path()).find("applied")), "[]");
    const std::string event = emit("order-1", "Made");
    const json::Value explained = json_of("explain --json -c " + file.path() + " " + event);
    EXPECT_THAT(*explained.find("next")->as_string(), HasSubstr("call a: POST"));
    EXPECT_EQ(json::write(*explained.find("undo")), "[]");
    const json::Value cancelled = json_of("cancel --json -c " + file.path() + " " + event);
    EXPECT_EQ(json::write(*cancelled.find("eventType")), R"("!Made")");

    const ConfigFile bad("outbox.bacthSize = 1\noutbox.poolSize = 0\n");
    const ProgramRun checked = run_program("check --json -c " + bad.path());
    EXPECT_EQ(checked.code, 2);
    EXPECT_EQ(json::parse(checked.output)->find("problems")->as_array()->size(), 2U);
}

TEST_F(Commands, explain_names_the_answer_that_a_retry_waits_for)
{
    Config text = abc();
    stub.on("/b", answer(503, "Retry-After", "60"));
    const ConfigFile file(text.text());
    const std::string event = emit("order-1", "Made");
    StartedRelay relay(text);
    sql->await("select status || retry_count from outbox_events where id = " + event, "PENDING1");
    const ProgramRun run = run_program("explain -c " + file.path() + " " + event);
    EXPECT_THAT(run.output, AllOf(HasSubstr("call b: POST"), HasSubstr("attempt 2"),
                                  HasSubstr("undo 1: DELETE " + stub.url("/a/undo"))));
}

TEST_F(Commands, cancel_has_a_running_relay_undo_an_event)
{
    const Config text = abc();
    const ConfigFile file(text.text());
    StartedRelay relay(text);
    const std::string event = emit("order-1", "Made");
    await_status(event, "PROCESSED");
    const ProgramRun run = run_program("cancel -c " + file.path() + " " + event);
    EXPECT_EQ(run.code, 0);
    EXPECT_THAT(run.output, HasSubstr("!Made of order-1"));
    ASSERT_TRUE(stub.wait_for_arrivals("/a/undo", 1, patience));
    await_count("outbox_events where event_type = '!Made' and status = 'PROCESSED'", 1);
}

TEST_F(Commands, explain_and_cancel_fail_for_an_event_that_is_not_there)
{
    const ConfigFile file(config().text());
    for (const char* command : {"explain", "cancel"}) {
        const ProgramRun run = run_program(std::string(command) + " -c " + file.path() + " 999");
        EXPECT_EQ(run.code, 1) << command;
        EXPECT_THAT(run.output, HasSubstr("there is no event 999")) << command;
    }
}

TEST_F(Commands, run_reloads_a_good_file_and_leaves_all_as_it_is_with_a_bad_one)
{
    Config text = abc();
    stub.on("/new", answer(200));
    StartedRelay relay(text.fanout("Made", {"a"}));
    relay.rewrite_config(text.text() + "outbox.bacthSize = 1\n");
    relay.signal(SIGHUP);
    ASSERT_TRUE(relay.wait_for_log("was not reloaded", patience));
    EXPECT_THAT(relay.log(), HasSubstr("bacthSize"));
    await_status(emit("1", "Made"), "PROCESSED");
    EXPECT_EQ(calls(), "POST /a");

    relay.rewrite_config(text.route("new", stub).fanout("Made", {"new"}).text());
    relay.signal(SIGHUP);
    ASSERT_TRUE(relay.wait_for_log("reloaded: routes", patience));
    await_status(emit("2", "Made"), "PROCESSED");
    EXPECT_EQ(calls(), "POST /a, POST /new");

    relay.signal(SIGTERM);
    EXPECT_EQ(relay.wait_exit(patience), 0);
}

} // namespace
} // namespace sagabox::testing
