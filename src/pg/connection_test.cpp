#include "pg/connection_fixture.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

namespace sagabox::pg {
namespace {

class ConnectionTest : public ConnectionFixture {
protected:
    int port() const { return sagabox::testing::Postgres::instance().cluster().port(); }
    std::string database() { return sql.one("select current_database()"); }
};

/// Takes connections and never says a word.
class SilentServer {
public:
    SilentServer()
    {
        sockaddr_in address = {};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const generic = reinterpret_cast<sockaddr*>(&address);
        if (bind(socket_, generic, size) != 0 || listen(socket_, 8) != 0 ||
            getsockname(socket_, generic, &size) != 0) {
            throw std::runtime_error("no silent server");
        }
        port_ = ntohs(address.sin_port);
    }
    ~SilentServer() { close(socket_); }
    SilentServer(const SilentServer&) = delete;
    SilentServer& operator=(const SilentServer&) = delete;

    int port() const { return port_; }

private:
    int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int port_ = 0;
};

TEST_F(ConnectionTest, tells_each_session_its_time_zone_whatever_the_role_has)
{
    sql.exec("create role newyorker login superuser; "
             "alter role newyorker set timezone = 'America/New_York'; "
             "alter role newyorker set datestyle = 'German'");
    Options as_newyorker = options();
    as_newyorker.url += "&user=newyorker";
    const auto connection = open(as_newyorker);
    const Result<Rows> rows = run(*connection, "select timestamptz '2024-07-01 12:00:00+00'");
    sql.exec("drop role newyorker");
    ASSERT_TRUE(rows.has_value()) << rows.error().text();
    EXPECT_EQ(rows->text(0, 0), "2024-07-01 12:00:00+00");
}

TEST_F(ConnectionTest, works_in_a_schema_whose_name_needs_quotes)
{
    sql.exec(R"(create schema "My ""Schema"; create table "My ""Schema".t (x int))");
    for (const auto prepare : {Options::Prepare::named, Options::Prepare::never}) {
        Options elsewhere = options();
        elsewhere.schema = R"(My "Schema)";
        elsewhere.prepare = prepare;
        const auto connection = open(elsewhere);
        EXPECT_TRUE(run(*connection, "insert into t values (1)").has_value());
        const auto script = sagabox::testing::run(
            context, connection->script("insert into t values (2); insert into t values (3)",
                                        Deadline::after(10s)));
        EXPECT_TRUE(script.has_value());
    }
    EXPECT_EQ(sql.one(R"(select count(*) from "My ""Schema".t)"), "6");
}

TEST_F(ConnectionTest, makes_the_settings_that_it_is_given)
{
    Options wanted = options();
    wanted.settings = {{"work_mem", "5MB"}};
    wanted.statement_timeout = 1234ms;
    for (const auto prepare : {Options::Prepare::named, Options::Prepare::never}) {
        wanted.prepare = prepare;
        const auto connection = open(wanted);
        EXPECT_EQ(run(*connection, "show work_mem").value().text(0, 0), "5MB");
        EXPECT_EQ(run(*connection, "show statement_timeout").value().text(0, 0), "1234ms");
    }
    wanted.settings = {{"no_such_setting", "1"}};
    const Opened refused = try_open(wanted);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().kind(), Fault::Kind::refused);
}

TEST_F(ConnectionTest, leaves_nothing_behind_on_a_session_that_a_pooler_would_share)
{
    Options pooled = options();
    pooled.prepare = Options::Prepare::never;
    pooled.settings = {{"sagabox.test", "mine"}};
    const auto connection = open(pooled);
    ASSERT_TRUE(run(*connection, query("named", "select 1")).has_value());
    const Result<Rows> prepared =
        run(*connection, "select count(*) from pg_prepared_statements where name = 'named'");
    EXPECT_EQ(prepared->integer(0, 0), 0);
    EXPECT_EQ(run(*connection, "show sagabox.test").value().text(0, 0), "mine");
    EXPECT_EQ(
        run(*connection, "select set_config('sagabox.test', 'other', false)").value().text(0, 0),
        "other");
    EXPECT_EQ(run(*connection, "show sagabox.test").value().text(0, 0), "mine");
}

TEST_F(ConnectionTest, goes_on_to_the_next_host_when_the_first_is_dead)
{
    Options two = options();
    two.url = fmt::format("postgresql://sagabox@127.0.0.1:1,127.0.0.1:{}/{}", port(), database());
    const auto connection = open(two);
    EXPECT_EQ(connection->where(), fmt::format("database {} at 127.0.0.1:{}", database(), port()));
    EXPECT_GE(connection->server_version(), 130000);
}

TEST_F(ConnectionTest, goes_on_to_the_next_host_when_the_first_is_silent)
{
    const SilentServer silent;
    Options two = options();
    two.url = fmt::format("postgresql://sagabox@127.0.0.1:{},127.0.0.1:{}/{}", silent.port(),
                          port(), database());
    EXPECT_TRUE(try_open(two, 1s).has_value());
}

TEST_F(ConnectionTest, gives_up_on_a_silent_host_at_its_deadline)
{
    const SilentServer silent;
    Options one = options();
    one.url = fmt::format("postgresql://sagabox:hunter2@127.0.0.1:{}/x", silent.port());
    const Opened failed = try_open(one, 100ms);
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().kind(), Fault::Kind::connection);
    EXPECT_EQ(failed.error().text(), fmt::format("No connection to database x at 127.0.0.1:{}: no "
                                                 "answer in time",
                                                 silent.port()));
}

TEST_F(ConnectionTest, passes_over_a_host_that_is_read_only)
{
    sql.exec(fmt::format("alter database {} set default_transaction_read_only = on", database()));
    const Opened refused = try_open(options());
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().kind(), Fault::Kind::connection);
    EXPECT_NE(refused.error().text().find("read-only"), std::string::npos);
}

TEST_F(ConnectionTest, names_an_absent_server_and_no_secret)
{
    Options absent = options();
    absent.url = "postgresql://app:hunter2@127.0.0.1:1/shop";
    const Opened failed = try_open(absent);
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().kind(), Fault::Kind::connection);
    EXPECT_TRUE(failed.error().retryable());
    EXPECT_NE(failed.error().text().find("database shop at 127.0.0.1:1"), std::string::npos);
    EXPECT_NE(failed.error().text().find("refused"), std::string::npos);
    EXPECT_EQ(failed.error().text().find("hunter2"), std::string::npos);
}

TEST_F(ConnectionTest, sends_arrays_that_come_back_as_they_were)
{
    const std::vector<std::optional<std::string>> values{
        "",         "NULL",  std::nullopt, "a,b",        R"(quote " back \ slash)",
        "{braces}", "ключ",  "\n\t",       "  blanks  ", "\xf0\x9f\x9a\x80",
        "'",        R"(\")",
    };
    Params params;
    params.texts(std::span<const std::optional<std::string>>(values));
    const auto connection = open();
    const Result<Rows> rows =
        run(*connection, query("echo",
                               "select x from unnest($1::text[]) with ordinality "
                               "as given(x, n) order by n",
                               params));
    ASSERT_TRUE(rows.has_value()) << rows.error().text();
    ASSERT_EQ(rows->size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(rows->is_null(i, 0), !values[i].has_value()) << i;
        EXPECT_EQ(rows->text(i, 0), values[i].value_or("")) << i;
    }
}

TEST_F(ConnectionTest, reads_integers_booleans_and_counts)
{
    sql.exec("create table t (x int)");
    const auto connection = open();
    const Result<Rows> rows =
        run(*connection, "select 9223372036854775807, null::bigint, true, false, null::boolean");
    ASSERT_TRUE(rows.has_value());
    EXPECT_EQ(rows->columns(), 5U);
    EXPECT_EQ(rows->integer(0, 0), INT64_MAX);
    EXPECT_EQ(rows->integer(0, 1), 0);
    EXPECT_TRUE(rows->boolean(0, 2));
    EXPECT_FALSE(rows->boolean(0, 3));
    EXPECT_FALSE(rows->boolean(0, 4));
    EXPECT_EQ(run(*connection, "insert into t values (1), (2), (3)").value().affected(), 3U);
    EXPECT_EQ(run(*connection, "delete from t where x > 1").value().affected(), 2U);
}

TEST_F(ConnectionTest, moves_more_bytes_than_the_sockets_hold_in_both_directions)
{
    const std::string big(3'000'000, 'x');
    std::vector<Query> queries;
    for (int i = 0; i < 8; ++i) {
        Params params;
        params.text(big);
        queries.push_back(query("big", "select $1::text", std::move(params)));
    }
    const auto connection = open();
    const Result<std::vector<Rows>> rows = transact(*connection, std::move(queries));
    ASSERT_TRUE(rows.has_value()) << rows.error().text();
    ASSERT_EQ(rows->size(), 8U);
    EXPECT_EQ(rows->back().text(0, 0), big);
}

TEST_F(ConnectionTest, prepares_a_statement_once)
{
    const auto connection = open();
    for (int i = 0; i < 3; ++i) {
        std::vector<Query> twice;
        twice.push_back(query("find_one", "select 1"));
        twice.push_back(query("find_one", "select 1"));
        ASSERT_TRUE(transact(*connection, std::move(twice)).has_value());
    }
    EXPECT_EQ(run(*connection, "select generic_plans + custom_plans from pg_prepared_statements "
                               "where name = 'find_one'")
                  .value()
                  .integer(0, 0),
              6);
}

TEST_F(ConnectionTest, prepares_again_what_could_not_be_prepared)
{
    const auto connection = open();
    EXPECT_FALSE(run(*connection, query("find_all", "select x from late")).has_value());
    EXPECT_TRUE(connection->open());
    sql.exec("create table late (x int)");
    EXPECT_TRUE(run(*connection, query("find_all", "select x from late")).has_value());
}

TEST_F(ConnectionTest, prepares_again_what_stood_behind_a_failure)
{
    const auto connection = open();
    std::vector<Query> queries;
    queries.push_back(query("fails", "select 1 / 0"));
    queries.push_back(query("behind", "select 1"));
    EXPECT_FALSE(transact(*connection, std::move(queries)).has_value());
    EXPECT_TRUE(run(*connection, query("behind", "select 1")).has_value());
    EXPECT_FALSE(run(*connection, query("fails", "select 1 / 0")).has_value());
}

TEST_F(ConnectionTest, closes_when_the_server_forgot_a_statement)
{
    const auto connection = open();
    ASSERT_TRUE(run(*connection, query("known", "select 1")).has_value());
    ASSERT_TRUE(run(*connection, "deallocate all").has_value());
    const Result<Rows> lost = run(*connection, query("known", "select 1"));
    ASSERT_FALSE(lost.has_value());
    EXPECT_EQ(lost.error().code(), "26000");
    EXPECT_TRUE(lost.error().retryable());
    EXPECT_FALSE(lost.error().outcome_unknown());
    EXPECT_NE(lost.error().text().find("pooler"), std::string::npos);
    EXPECT_FALSE(connection->open());
}

TEST_F(ConnectionTest, closes_when_a_table_changed_under_a_prepared_statement)
{
    sql.exec("create table t (x int)");
    const auto connection = open();
    ASSERT_TRUE(run(*connection, query("find_all", "select * from t")).has_value());
    sql.exec("alter table t add column y int");
    const Result<Rows> stale = run(*connection, query("find_all", "select * from t"));
    ASSERT_FALSE(stale.has_value());
    EXPECT_TRUE(stale.error().breaks_connection());
    EXPECT_FALSE(connection->open());
}

TEST_F(ConnectionTest, refuses_a_parameter_that_would_be_cut)
{
    Params params;
    params.text(std::string_view("a\0b", 3));
    const auto connection = open();
    const Result<Rows> refused = run(*connection, query("cut", "select $1::text", params));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().kind(), Fault::Kind::bad_input);
    EXPECT_TRUE(connection->open());
}

TEST_F(ConnectionTest, refuses_to_keep_a_transaction_open)
{
    const auto connection = open();
    EXPECT_FALSE(run(*connection, "begin").has_value());
    EXPECT_FALSE(connection->open());
    const auto scripted = open();
    const auto result =
        sagabox::testing::run(context, scripted->script("select 1; begin", Deadline::after(10s)));
    EXPECT_FALSE(result.has_value());
    EXPECT_FALSE(scripted->open());
    EXPECT_FALSE(run(*scripted, "select 1").has_value());
}

TEST_F(ConnectionTest, runs_a_script_whole_or_not_at_all)
{
    const auto connection = open();
    const auto failed = sagabox::testing::run(
        context, connection->script("create table a (x int); create table b (x no_such_type)",
                                    Deadline::after(10s)));
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().code(), "42704");
    EXPECT_FALSE(failed.error().outcome_unknown());
    const auto done = sagabox::testing::run(
        context, connection->script("create table a (x int); insert into a values (1)",
                                    Deadline::after(10s)));
    ASSERT_TRUE(done.has_value());
    EXPECT_EQ(run(*connection, query("count", "select count(*) from a")).value().integer(0, 0), 1);
}

TEST_F(ConnectionTest, rolls_a_script_back_that_fails_in_a_transaction_of_its_own_and_says_why)
{
    const auto connection = open();
    const auto failed = sagabox::testing::run(
        context, connection->script("begin; create table b (x int); select 1/0; commit",
                                    Deadline::after(10s)));
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().code(), "22012");
    ASSERT_TRUE(connection->open());
    const auto made = run(*connection, "select to_regclass('b') is null");
    ASSERT_TRUE(made.has_value());
    EXPECT_TRUE(made->boolean(0, 0));
}

TEST_F(ConnectionTest, closes_when_a_script_copies)
{
    const auto connection = open();
    const auto result = sagabox::testing::run(
        context,
        connection->script("create table a (x int); copy a from stdin", Deadline::after(10s)));
    EXPECT_FALSE(result.has_value());
    EXPECT_FALSE(connection->open());
}

} // namespace
} // namespace sagabox::pg
