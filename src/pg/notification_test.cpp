#include "pg/connection_fixture.hpp"

#include "base/scope.hpp"

namespace sagabox::pg {
namespace {

using Heard = Result<std::optional<Notification>>;

std::vector<Query> notify_meanwhile(const std::vector<Rows>&, void* context)
{
    static_cast<sagabox::testing::Sql*>(context)->exec("notify news, 'meanwhile'");
    return {};
}

Task<void> listen_for_ever(Connection& connection)
{
    static_cast<void>(co_await connection.wait_notification(Deadline::after(1h)));
}

Task<bool> cancel_and_join(Scope& scope)
{
    scope.cancel();
    co_return co_await scope.join(Deadline::after(10s));
}

class NotificationTest : public ConnectionFixture {
protected:
    NotificationTest() { EXPECT_TRUE(run(*connection, "listen news").has_value()); }

    Heard wait(std::chrono::milliseconds timeout = 10s)
    {
        return sagabox::testing::run(context,
                                     connection->wait_notification(Deadline::after(timeout)));
    }

    std::unique_ptr<Connection> connection = open();
};

TEST_F(NotificationTest, arrives_with_its_payload)
{
    sql.exec("notify news, 'one'; notify news, 'two'");
    for (const char* payload : {"one", "two"}) {
        const Heard heard = wait();
        ASSERT_TRUE(heard.has_value() && heard->has_value());
        EXPECT_EQ((*heard)->channel, "news");
        EXPECT_EQ((*heard)->payload, payload);
    }
}

TEST_F(NotificationTest, is_kept_when_it_comes_during_a_statement)
{
    const auto rows = transact(*connection, {}, &notify_meanwhile, &sql);
    ASSERT_TRUE(rows.has_value());
    // Wherever it is now, in libpq or still on the wire, it has not been lost.
    ASSERT_TRUE(run(*connection, "select 1").has_value());
    const Heard heard = wait();
    ASSERT_TRUE(heard.has_value() && heard->has_value());
    EXPECT_EQ((*heard)->payload, "meanwhile");
}

TEST_F(NotificationTest, is_nothing_at_the_deadline)
{
    const Heard heard = wait(20ms);
    ASSERT_TRUE(heard.has_value());
    EXPECT_FALSE(heard->has_value());
    EXPECT_TRUE(run(*connection, "select 1").has_value());
}

TEST_F(NotificationTest, ends_when_the_session_does)
{
    sql.exec("select pg_terminate_backend(pid) from pg_stat_activity "
             "where query = 'listen news' and pid <> pg_backend_pid()");
    const Heard heard = wait();
    ASSERT_FALSE(heard.has_value());
    EXPECT_EQ(heard.error().kind(), Fault::Kind::connection);
    EXPECT_FALSE(connection->open());
}

TEST_F(NotificationTest, wait_can_be_cut_short_and_taken_up_again)
{
    Scope scope(context.get_executor(), "test");
    scope.start(listen_for_ever(*connection));
    context.restart();
    context.poll();
    EXPECT_TRUE(sagabox::testing::run(context, cancel_and_join(scope)));
    EXPECT_TRUE(connection->open());
    sql.exec("notify news, 'later'");
    const Heard heard = wait();
    ASSERT_TRUE(heard.has_value() && heard->has_value());
    EXPECT_EQ((*heard)->payload, "later");
}

} // namespace
} // namespace sagabox::pg
