#include "tests/functional/relay_fixture.hpp"

#include <csignal>

namespace sagabox::testing {
namespace {

/// The server has ended the session in which a worker claims.
class CutConnection : public RelayTest {
protected:
    static constexpr const char* claiming = "application_name = 'sagabox worker 0 claims' and "
                                            "datname = ";

    CutConnection() : where(claiming + ("'" + sql->one("select current_database()") + "'")) {}

    void await_claims(const std::string& count)
    {
        other.await("select count(*) from pg_stat_activity where " + where, count);
    }

    void cut()
    {
        await_claims("1");
        ASSERT_EQ(other.one("select count(pg_terminate_backend(pid, 5000)) from pg_stat_activity "
                            "where " +
                            where),
                  "1");
    }

    void allow_connections(const std::string& whether)
    {
        other.exec("alter database " + sql->one("select current_database()") +
                   " allow_connections " + whether);
    }

    [[nodiscard]] Config with_route()
    {
        stub.on("/a", Reply{});
        return config()
            .with("outbox.shutdownGrace = 1 second")
            .route("a", stub)
            .fanout("Made", {"a"});
    }

    Sql other{Postgres::instance().cluster().url("postgres")};
    std::string where;
};

TEST_F(CutConnection, that_nobody_has_noticed_keeps_no_relay_from_stopping)
{
    StartedRelay relay(with_route().with("outbox.pollInterval = 60 seconds"));
    await_status(emit("order-1", "Made"), "PROCESSED");
    ASSERT_NO_FATAL_FAILURE(cut());
    relay.signal(SIGTERM);
    EXPECT_EQ(relay.wait_exit(3s), 0);
}

TEST_F(CutConnection, that_came_back_keeps_no_relay_from_stopping)
{
    StartedRelay relay(with_route());
    await_status(emit("order-1", "Made"), "PROCESSED");
    ASSERT_NO_FATAL_FAILURE(cut());
    await_status(emit("order-1", "Made"), "PROCESSED");
    await_claims("1");
    relay.signal(SIGTERM);
    EXPECT_EQ(relay.wait_exit(3s), 0);
}

TEST_F(CutConnection, that_cannot_come_back_keeps_no_relay_from_stopping)
{
    StartedRelay relay(with_route());
    await_status(emit("order-1", "Made"), "PROCESSED");
    allow_connections("false");
    ASSERT_NO_FATAL_FAILURE(cut());
    EXPECT_TRUE(relay.wait_for_log("claims cannot reach the database", patience));
    relay.signal(SIGTERM);
    // Its grace, and three seconds to write down what was cut.
    EXPECT_EQ(relay.wait_exit(7s), 0);
    allow_connections("true");
}

} // namespace
} // namespace sagabox::testing
