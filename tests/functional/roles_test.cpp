// The rights that docs/security.md gives to each role: exactly those, read from the page itself.
#include "tests/functional/api_fixture.hpp"
#include "tests/functional/program_run.hpp"

#include <csignal>
#include <fstream>

namespace sagabox::testing {
namespace {

using ::testing::HasSubstr;

/// The SQL of a page, block by block.
std::vector<std::string> sql_of(const std::string& page)
{
    std::ifstream file(SAGABOX_SOURCE_DIR "/docs/" + page);
    std::vector<std::string> blocks;
    bool inside = false;
    for (std::string line; std::getline(file, line);) {
        if (line == "```sql") {
            blocks.emplace_back();
            inside = true;
        } else if (line == "```") {
            inside = false;
        } else if (inside) {
            blocks.back() += line + "\n";
        }
    }
    return blocks;
}

/// A database that was set up as the page says: roles, migrations by their owner, rights.
class Roles : public ApiRelayTest {
protected:
    Roles()
    {
        const std::vector<std::string> blocks = sql_of("security.md");
        if (blocks.size() != 2) {
            throw std::runtime_error("docs/security.md has other SQL than this test knows");
        }
        url = Postgres::instance().fresh_database();
        sql = std::make_unique<Sql>(url);
        if (sql->one("select count(*) from pg_roles where rolname = 'sagabox_owner'") == "0") {
            sql->exec(blocks[0]);
            for (const std::string role : {"owner", "app", "relay", "reader"}) {
                sql->exec("create role a_" + role + " login; grant sagabox_" + role + " to a_" +
                          role + "; alter role a_" + role + " set role = sagabox_" + role);
            }
        } else {
            sql->exec("grant usage, create on schema public to sagabox_owner; "
                      "grant usage on schema public to sagabox_app, sagabox_relay, sagabox_reader");
        }
        RelayProcess program(Config(as("a_owner")), "migrate");
        if (program.wait_exit(patience) != 0) {
            throw std::runtime_error("migrate failed: " + program.log());
        }
        sql->exec(blocks[1]);
    }

    [[nodiscard]] std::string as(const std::string& user) const
    {
        const std::size_t from = url.find("://") + 3;
        return url.substr(0, from) + user + url.substr(url.find('@'));
    }

    [[nodiscard]] Config of_the_relay()
    {
        Config text = abc();
        return text.with("database.url = \"" + as("a_relay") + "\"");
    }

    static std::string refusal(Sql& as, const std::string& text)
    {
        try {
            as.exec(text);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "nothing was refused";
    }
};

TEST_F(Roles, are_enough_for_emitting_calling_undoing_cancelling_retrying_and_deleting)
{
    Config text = of_the_relay();
    stub.on("/b", answer(200)).then(answer(400));
    text.fanout("Made", {"a", "b"}).with("outbox.retention = 4 seconds");
    StartedRelay relay(text);
    Sql app(as("a_app"));
    const std::string good = app.one("select outbox_emit('1', 'Made', '{}')");
    await_status(good, "PROCESSED");
    EXPECT_EQ(app.one("select outbox_emit('2', 'Made', '{}') > 0"), "t");
    await_count("dead_letter_events where status = 'PROCESSED'", 1);
    static_cast<void>(app.one("select outbox_emit('1', '!Made', '{}')"));
    await_count("outbox_events where event_type = '!Made' and status = 'PROCESSED'", 1);
    EXPECT_EQ(arrivals("/b/undo"), 1U);
    await_count("outbox_events", 0);
    await_count("aggregate_results", 0);
    EXPECT_EQ(relay.count_in_log("permission denied"), 0U) << relay.log();
}

TEST_F(Roles, are_enough_for_mail)
{
    stub.on("/mail", answer(200));
    Config text = of_the_relay();
    text.with("email { from = \"shop@x.example\", providers = [ { name = one, http { "
              "url = \"" +
              stub.url("/mail") + "\", body = \"\"\"{\"to\": {to}}\"\"\" } } ] }");
    text.with("email.retention = 1 second");
    StartedRelay relay(text);
    Sql app(as("a_app"));
    await_count("email_rules", 1);
    const std::string id = app.one(
        "select outbox_emit_email(array['a@x.example'], 'Hello', 'order-confirmation', 'Text')");
    EXPECT_TRUE(stub.wait_for_arrivals("/mail", 1, patience)) << id;
    await_count("email_messages", 0);
    EXPECT_EQ(relay.count_in_log("permission denied"), 0U) << relay.log();
}

TEST_F(Roles, let_a_reader_look_and_change_nothing)
{
    const Config text = of_the_relay();
    Sql app(as("a_app"));
    const std::string event = app.one("select outbox_emit('1', 'Made', '{}')");
    const std::string file = [&] {
        const std::string path = ::testing::TempDir() + "reader.conf";
        std::ofstream(path) << text.text() << "database.url = \"" << as("a_reader") << "\"\n";
        return path;
    }();
    for (const std::string command :
         {"status", "events", "dead-letters list", "emails list", "audit"}) {
        const ProgramRun run = run_program(command + " -c " + file);
        EXPECT_EQ(run.code, 0) << command << ": " << run.output;
    }
    for (const std::string command : {"why", "explain"}) {
        const ProgramRun run = run_program(command + " -c " + file + " " + event);
        EXPECT_EQ(run.code, 0) << command << ": " << run.output;
    }
    const ProgramRun cancel = run_program("cancel -c " + file + " " + event);
    EXPECT_EQ(cancel.code, 1);
    EXPECT_THAT(cancel.output, HasSubstr("permission denied"));
}

TEST_F(Roles, give_nobody_more_than_that)
{
    Sql app(as("a_app"));
    Sql relay(as("a_relay"));
    for (const char* text :
         {"select payloads from outbox_events", "update outbox_events set status = 'PENDING'",
          "delete from outbox_events", "select from aggregate_results",
          "insert into aggregate_results (event_id) values (1)",
          "select from dead_letter_events"}) {
        EXPECT_THAT(refusal(app, text), HasSubstr("permission denied")) << text;
    }
    for (const char* text :
         {"update aggregate_results set success = true", "truncate outbox_events",
          "create table mine (x int)", "drop table outbox_events",
          "insert into sagabox_schema (version, name) values (99, 'mine')"}) {
        EXPECT_THAT(refusal(relay, text),
                    ::testing::AnyOf(HasSubstr("permission denied"), HasSubstr("must be owner")))
            << text;
    }
}

} // namespace
} // namespace sagabox::testing
