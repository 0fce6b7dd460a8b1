// From the schema of the version before to this one, with its events in it; and with a relay of
// that version still running, where SAGABOX_OLD_BINARY names its program.
#include "tests/functional/program_run.hpp"
#include "tests/functional/saga_fixture.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

namespace sagabox::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::vector<fs::path> migrations()
{
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(SAGABOX_SOURCE_DIR "/sql/migrations")) {
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string text_of(const fs::path& file)
{
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

class Upgrade : public SagaTest {
protected:
    /// A database as the version before left it.
    void set_up_the_version_before()
    {
        url = Postgres::instance().fresh_database();
        sql = std::make_unique<Sql>(url);
        sql->exec("create table sagabox_schema (version int primary key, name text not null, "
                  "applied_at timestamptz not null default now())");
        const std::vector<fs::path> files = migrations();
        for (std::size_t i = 0; i + 1 < files.size(); ++i) {
            sql->exec(text_of(files[i]));
            sql->exec("insert into sagabox_schema (version, name) values ($1, $2)",
                      {std::to_string(i + 1), files[i].stem().string()});
        }
    }

    void expect_clean_audit(const Config& text) const
    {
        const std::string file = ::testing::TempDir() + "upgrade.conf";
        std::ofstream(file) << text.text();
        const ProgramRun audit = run_program("audit -c " + file);
        EXPECT_EQ(audit.code, 0) << audit.output;
    }
};

TEST_F(Upgrade, takes_over_what_the_version_before_has_left)
{
    set_up_the_version_before();
    const Config text = abc();
    const std::string waiting = emit("1", "Made");
    const std::string taken = emit("2", "Made");
    sql->exec("update outbox_events set status = 'PROCESSING', lease_owner = 'gone', claim_no = 1, "
              "lease_expires_at = now() - interval '1 second' where id = $1",
              {taken});
    StartedRelay relay(text);
    EXPECT_EQ(sql->one("select max(version) from sagabox_schema"),
              std::to_string(migrations().size()));
    await_status(waiting, "PROCESSED");
    await_status(taken, "PROCESSED");
    EXPECT_EQ(arrivals("/c"), 2U);
    expect_clean_audit(text);
}

TEST_F(Upgrade, of_the_schema_holds_up_no_producer_while_a_long_transaction_is_open)
{
    set_up_the_version_before();
    const Config text = abc();
    sql->exec("begin");
    sql->exec("select outbox_emit('1', 'Made', '{}')");
    const RelayProcess relay(text);
    ASSERT_TRUE(relay.wait_for_log("waits for transactions that use its tables", patience));
    Sql other(url);
    other.exec("set statement_timeout = '10s'");
    for (int order = 2; order < 12; ++order) {
        static_cast<void>(
            other.one("select outbox_emit($1, 'Made', '{}')", {std::to_string(order)}));
    }
    EXPECT_EQ(other.one("select max(version) from sagabox_schema"),
              std::to_string(migrations().size() - 1));
    sql->exec("commit");
    ASSERT_TRUE(relay.wait_until_started()) << relay.log();
    await_count("outbox_events where status = 'PROCESSED'", 11);
}

TEST_F(Upgrade, goes_on_while_a_relay_of_the_version_before_still_works)
{
    const char* const old_program = std::getenv("SAGABOX_OLD_BINARY");
    if (old_program == nullptr) {
        GTEST_SKIP() << "SAGABOX_OLD_BINARY does not name a program of the version before";
    }
    set_up_the_version_before();
    Config text = abc();
    stub.on("/b", [](const Arrival& call) {
        const int order = std::stoi(call.header("X-Aggregate-Id"));
        return answer(order % 10 == 0 ? 400 : 200);
    });
    const std::string file = ::testing::TempDir() + "upgrade-old.conf";
    std::ofstream(file) << text.text();
    const std::string log = ::testing::TempDir() + "upgrade-old.log";
    const ShellRun started =
        shell(std::string(old_program) + " run -c " + file + " > " + log + " 2>&1 & echo $!");
    const int old_relay = std::stoi(started.output);

    int orders = 0;
    const auto emit_some = [&] {
        for (int i = 0; i < 100; ++i) {
            emit(std::to_string(++orders), "Made");
        }
    };
    emit_some();
    EXPECT_TRUE(stub.wait_for_arrivals("/a", 50, patience)) << text_of(log);
    StartedRelay relay(text); // migrates under the old one's hands
    emit_some();
    await_count("outbox_events where status = 'PROCESSED'", 200);
    await_count("dead_letter_events where status = 'PROCESSED'", 20);
    emit_some();
    await_count("outbox_events where status = 'PROCESSED'", 300);
    EXPECT_EQ(::kill(old_relay, 0), 0) << text_of(log);
    EXPECT_THAT(text_of(log), ::testing::Not(HasSubstr("error")));
    ::kill(old_relay, SIGTERM);
    emit_some();
    await_count("outbox_events where status = 'PROCESSED'", 400);
    EXPECT_EQ(arrivals("/a"), 400U);
    EXPECT_EQ(arrivals("/a/undo"), 40U);
    expect_clean_audit(text);
}

} // namespace
} // namespace sagabox::testing
