#include "pg/connection_fixture.hpp"

#include "base/scope.hpp"

#include <asio/post.hpp>
#include <fmt/format.h>

namespace sagabox::pg {
namespace {

/// What a test does between the two halves of a transaction, and what follows then.
struct Interlude {
    sagabox::testing::Sql* sql = nullptr;
    std::string look; ///< a query from another session
    std::string seen; ///< its answer
    std::vector<Query> rest;
    bool crash = false;
};

void crash_the_server()
{
    const auto back = sagabox::testing::Postgres::instance().cluster().crash_and_restart();
    EXPECT_TRUE(back.has_value()) << back.error().text();
}

std::vector<Query> go_on(const std::vector<Rows>&, void* context)
{
    auto& interlude = *static_cast<Interlude*>(context);
    if (!interlude.look.empty()) {
        interlude.seen = interlude.sql->one(interlude.look);
    }
    if (interlude.crash) {
        crash_the_server();
    }
    return interlude.rest;
}

Task<void> sleep_in_server(Connection& connection)
{
    Query query;
    query.statement = {.name = {}, .text = "select pg_sleep(60)"};
    const Result<Rows> rows = co_await connection.run(std::move(query), Deadline::after(60s));
    ADD_FAILURE() << "was not cancelled: " << (rows ? "rows" : rows.error().text());
}

Task<bool> cancel_and_join(Scope& scope)
{
    scope.cancel();
    co_return co_await scope.join(Deadline::after(10s));
}

class TransactionTest : public ConnectionFixture {
protected:
    TransactionTest() { sql.exec("create table t (x int primary key)"); }

    static Query insert(std::int64_t x)
    {
        Params params;
        params.integer(x);
        return query("insert_t", "insert into t values ($1::int) returning x", std::move(params));
    }
    static std::vector<Query> inserts(std::initializer_list<std::int64_t> values)
    {
        std::vector<Query> queries;
        for (const std::int64_t x : values) {
            queries.push_back(insert(x));
        }
        return queries;
    }
    std::string count() { return sql.one("select count(*) from t"); }
    static std::string state_of(const std::string& pid)
    {
        return fmt::format("select state from pg_stat_activity where pid = {}", pid);
    }
    std::string pid_of(Connection& connection)
    {
        return std::string(run(connection, "select pg_backend_pid()").value().text(0, 0));
    }
};

TEST_F(TransactionTest, gives_the_rows_of_all_statements_in_order)
{
    const auto connection = open();
    const auto rows = transact(*connection, inserts({3, 1, 2}));
    ASSERT_TRUE(rows.has_value()) << rows.error().text();
    ASSERT_EQ(rows->size(), 3U);
    EXPECT_EQ((*rows)[0].integer(0, 0), 3);
    EXPECT_EQ((*rows)[2].integer(0, 0), 2);
    EXPECT_EQ(count(), "3");
}

TEST_F(TransactionTest, takes_back_everything_on_a_fault)
{
    const auto connection = open();
    const auto failed = transact(*connection, inserts({1, 2, 1, 3}));
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().kind(), Fault::Kind::refused);
    EXPECT_EQ(failed.error().code(), "23505");
    EXPECT_NE(failed.error().text().find("insert_t"), std::string::npos);
    EXPECT_FALSE(failed.error().outcome_unknown());
    EXPECT_EQ(count(), "0");
    EXPECT_TRUE(transact(*connection, inserts({1, 2})).has_value());
}

TEST_F(TransactionTest, hears_of_a_fault_that_comes_with_the_commit)
{
    sql.exec("create table child (x int references t deferrable initially deferred)");
    const auto connection = open();
    std::vector<Query> queries = inserts({1});
    queries.push_back(query("insert_child", "insert into child values (7)"));
    const auto failed = transact(*connection, std::move(queries));
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().code(), "23503");
    EXPECT_FALSE(failed.error().outcome_unknown());
    EXPECT_EQ(count(), "0");
    EXPECT_TRUE(transact(*connection, inserts({1})).has_value());
    EXPECT_EQ(count(), "1");
}

TEST_F(TransactionTest, goes_on_in_the_same_transaction)
{
    const auto connection = open();
    Interlude interlude{.sql = &sql, .look = "select count(*) from t", .seen = {}, .rest = {}};
    interlude.rest = inserts({2, 3});
    const auto rows = transact(*connection, inserts({1}), &go_on, &interlude);
    ASSERT_TRUE(rows.has_value()) << rows.error().text();
    EXPECT_EQ(rows->size(), 3U);
    EXPECT_EQ(interlude.seen, "0"); // nothing had been committed by then
    EXPECT_EQ(count(), "3");
}

TEST_F(TransactionTest, may_end_after_its_first_half)
{
    const auto connection = open();
    Interlude interlude;
    EXPECT_TRUE(transact(*connection, inserts({1}), &go_on, &interlude).has_value());
    EXPECT_EQ(count(), "1");
}

TEST_F(TransactionTest, takes_back_its_first_half_when_the_second_fails)
{
    const auto connection = open();
    Interlude interlude;
    interlude.rest = inserts({2, 1});
    const auto failed = transact(*connection, inserts({1}), &go_on, &interlude);
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().code(), "23505");
    EXPECT_EQ(count(), "0");
    EXPECT_TRUE(connection->open());
}

TEST_F(TransactionTest, asks_for_no_second_half_when_the_first_fails)
{
    const auto connection = open();
    Interlude interlude{
        .sql = &sql, .look = "insert into t values (9) returning x", .seen = {}, .rest = {}};
    const auto failed = transact(*connection, inserts({1, 1}), &go_on, &interlude);
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(interlude.seen, "");
    EXPECT_EQ(count(), "0");
    EXPECT_TRUE(transact(*connection, inserts({1})).has_value());
}

TEST_F(TransactionTest, takes_back_its_first_half_when_the_second_cannot_be_sent)
{
    const auto connection = open();
    Params params;
    params.text(std::string_view("\0", 1));
    Interlude interlude;
    interlude.rest = inserts({2});
    interlude.rest.push_back(query("", "select $1::text", std::move(params)));
    const auto failed = transact(*connection, inserts({1}), &go_on, &interlude);
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().kind(), Fault::Kind::bad_input);
    EXPECT_FALSE(failed.error().outcome_unknown());
    EXPECT_EQ(count(), "0");
    EXPECT_TRUE(transact(*connection, inserts({1})).has_value());
    EXPECT_EQ(count(), "1");
}

TEST_F(TransactionTest, is_never_idle_in_transaction_between_its_halves)
{
    Options strict = options();
    strict.settings = {{"idle_in_transaction_session_timeout", "1"}};
    const auto connection = open(strict);
    const std::string pid = pid_of(*connection);
    Interlude interlude{.sql = &sql, .look = state_of(pid), .seen = {}, .rest = {}};
    interlude.rest = inserts({2});
    EXPECT_TRUE(transact(*connection, inserts({1}), &go_on, &interlude).has_value());
    EXPECT_EQ(interlude.seen, "active");
    EXPECT_EQ(sql.one(state_of(pid)), "idle");
}

TEST_F(TransactionTest, does_not_claim_to_know_what_a_dead_server_committed)
{
    const auto connection = open();
    // The second handler runs after the coroutine has sent everything, and before any answer.
    asio::post(context, [this] { asio::post(context, &crash_the_server); });
    std::vector<Query> queries = inserts({1});
    queries.push_back(query("", "select pg_sleep(60)"));
    const auto lost = transact(*connection, std::move(queries));
    ASSERT_FALSE(lost.has_value());
    EXPECT_EQ(lost.error().kind(), Fault::Kind::connection);
    EXPECT_TRUE(lost.error().outcome_unknown());
    EXPECT_FALSE(connection->open());
    const auto again = open();
    EXPECT_EQ(run(*again, "select count(*) from t").value().integer(0, 0), 0);
}

TEST_F(TransactionTest, does_not_claim_to_know_what_a_terminated_session_committed)
{
    const auto connection = open();
    std::vector<Query> queries = inserts({1});
    queries.push_back(query("", "select pg_terminate_backend(pg_backend_pid())"));
    const auto lost = transact(*connection, std::move(queries));
    ASSERT_FALSE(lost.has_value());
    EXPECT_EQ(lost.error().code(), "57P01");
    EXPECT_TRUE(lost.error().outcome_unknown());
    EXPECT_FALSE(connection->open());
    EXPECT_EQ(count(), "0");
}

TEST_F(TransactionTest, takes_back_everything_when_the_server_dies_between_its_halves)
{
    const auto connection = open();
    Interlude interlude;
    interlude.crash = true;
    interlude.rest = inserts({2});
    const auto lost = transact(*connection, inserts({1}), &go_on, &interlude);
    ASSERT_FALSE(lost.has_value());
    EXPECT_EQ(lost.error().kind(), Fault::Kind::connection);
    EXPECT_FALSE(connection->open());
    const auto again = open();
    EXPECT_EQ(run(*again, "select count(*) from t").value().integer(0, 0), 0);
}

TEST_F(TransactionTest, knows_that_nothing_happened_when_the_session_ends_before_the_commit)
{
    const auto connection = open();
    std::vector<Query> queries = inserts({1});
    queries.push_back(query("", "select pg_terminate_backend(pg_backend_pid())"));
    Interlude interlude;
    const auto lost = transact(*connection, std::move(queries), &go_on, &interlude);
    ASSERT_FALSE(lost.has_value());
    EXPECT_EQ(lost.error().kind(), Fault::Kind::connection);
    EXPECT_FALSE(lost.error().outcome_unknown());
    EXPECT_EQ(count(), "0");
}

TEST_F(TransactionTest, closes_at_its_deadline)
{
    const auto connection = open();
    const Result<Rows> late = run(*connection, query("", "select pg_sleep(60)"), 50ms);
    ASSERT_FALSE(late.has_value());
    EXPECT_EQ(late.error().kind(), Fault::Kind::timeout);
    EXPECT_TRUE(late.error().outcome_unknown());
    EXPECT_FALSE(connection->open());
    const Result<Rows> closed = run(*connection, "select 1");
    ASSERT_FALSE(closed.has_value());
    EXPECT_EQ(closed.error().kind(), Fault::Kind::connection);
    EXPECT_FALSE(closed.error().outcome_unknown());
}

TEST_F(TransactionTest, closes_when_the_server_cuts_a_statement_short)
{
    Options hasty = options();
    hasty.statement_timeout = 50ms;
    const auto connection = open(hasty);
    const Result<Rows> late = run(*connection, "select pg_sleep(60)");
    ASSERT_FALSE(late.has_value());
    EXPECT_EQ(late.error().kind(), Fault::Kind::timeout);
    EXPECT_EQ(late.error().code(), "57014");
    EXPECT_FALSE(late.error().outcome_unknown());
    EXPECT_FALSE(connection->open());
}

TEST_F(TransactionTest, closes_when_its_task_is_cancelled)
{
    const auto connection = open();
    Scope scope(context.get_executor(), "test");
    scope.start(sleep_in_server(*connection));
    context.restart();
    context.poll();
    EXPECT_TRUE(connection->open());
    EXPECT_TRUE(sagabox::testing::run(context, cancel_and_join(scope)));
    EXPECT_FALSE(connection->open());
}

TEST_F(TransactionTest, says_that_the_server_is_read_only)
{
    Options reader = options();
    reader.settings = {{"default_transaction_read_only", "on"}};
    const auto connection = open(reader);
    const auto failed = transact(*connection, inserts({1}));
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().kind(), Fault::Kind::read_only);
    EXPECT_FALSE(failed.error().outcome_unknown());
    EXPECT_FALSE(connection->open());
}

TEST_F(TransactionTest, says_that_a_lock_stood_in_the_way)
{
    sql.exec("insert into t values (1)");
    sql.exec("begin; select x from t for update");
    const auto connection = open();
    const Result<Rows> failed = run(*connection, "select x from t for update nowait");
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().kind(), Fault::Kind::conflict);
    EXPECT_TRUE(connection->open());
}

TEST_F(TransactionTest, of_a_hundred_rows_takes_about_as_long_as_a_round_trip)
{
    sql.exec("create table journal (id bigint, body text)");
    const auto connection = open();
    std::vector<std::int64_t> ids;
    std::vector<std::string> bodies;
    for (int i = 0; i < 100; ++i) {
        ids.push_back(i);
        bodies.emplace_back(
            R"({"orderId": 12345, "amount": "99.99", "note": "a \"quoted\" word"})");
    }
    constexpr int rounds = 300;
    const Instant begun = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds; ++i) {
        Params params;
        params.integers(ids).texts(std::span<const std::string>(bodies));
        std::vector<Query> one;
        one.push_back(query("insert_journal",
                            "insert into journal select * from unnest($1::bigint[], $2::text[])",
                            std::move(params)));
        const auto rows = transact(*connection, std::move(one));
        ASSERT_TRUE(rows.has_value()) << rows.error().text();
        ASSERT_EQ(rows->front().affected(), 100U);
    }
    const auto each = (std::chrono::steady_clock::now() - begun) / rounds;
    RecordProperty("microseconds", static_cast<int>(each / 1us));
    EXPECT_EQ(sql.one("select count(*) from journal"), std::to_string(100 * rounds));
    EXPECT_LT(each, 100ms);
}

} // namespace
} // namespace sagabox::pg
