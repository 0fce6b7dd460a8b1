#include "tests/functional/relay_fixture.hpp"

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <fmt/format.h>

namespace sagabox::testing {
namespace {

/// Takes connections and closes them: what a database looks like that is just not there.
class ClosedDoor {
public:
    ClosedDoor()
    {
        knock();
        thread_ = std::thread([this] { context_.run(); });
    }
    ~ClosedDoor()
    {
        context_.stop();
        thread_.join();
    }
    ClosedDoor(const ClosedDoor&) = delete;
    ClosedDoor& operator=(const ClosedDoor&) = delete;

    [[nodiscard]] int port() const { return acceptor_.local_endpoint().port(); }

    [[nodiscard]] bool wait_for_knocks(int count, std::chrono::milliseconds timeout)
    {
        std::unique_lock lock(mutex_);
        return knocked_.wait_for(lock, timeout, [this, count] { return knocks_ >= count; });
    }

private:
    void knock()
    {
        acceptor_.async_accept([this](const asio::error_code&, const asio::ip::tcp::socket&) {
            {
                const std::lock_guard lock(mutex_);
                ++knocks_;
            }
            knocked_.notify_all();
            knock();
        });
    }

    asio::io_context context_;
    asio::ip::tcp::acceptor acceptor_{context_, {asio::ip::address_v4::loopback(), 0}};
    std::thread thread_;
    std::mutex mutex_;
    std::condition_variable knocked_;
    int knocks_ = 0;
};

TEST(Start, without_a_database_keeps_trying_and_says_so_once)
{
    ClosedDoor door;
    RelayProcess relay(
        Config(fmt::format("postgresql://app@127.0.0.1:{}/shop?sslmode=disable", door.port())));
    EXPECT_TRUE(door.wait_for_knocks(3, 20s)) << relay.log();
    EXPECT_EQ(relay.count_in_log("keeps trying"), 1U) << relay.log();
    relay.signal(SIGTERM);
    EXPECT_EQ(relay.wait_exit(5s), 0) << relay.log();
}

class StartTest : public ::testing::Test {
protected:
    std::string url = Postgres::instance().fresh_database();
};

TEST_F(StartTest, goes_on_once_the_database_is_there)
{
    StubServer stub;
    stub.on("/a", Reply{});
    ASSERT_TRUE(Postgres::instance().cluster().stop());
    const RelayProcess relay(Config(url).route("a", stub).fanout("Made", {"a"}));
    EXPECT_TRUE(relay.wait_for_log("keeps trying", 20s));
    ASSERT_TRUE(Postgres::instance().cluster().restart());
    ASSERT_TRUE(relay.wait_until_started()) << relay.log();
    Sql sql(url);
    sql.exec("insert into outbox_events (aggregate_id, event_type, payloads) "
             "values ('order-1', 'Made', '{}')");
    sql.await("select status from outbox_events", "PROCESSED");
    EXPECT_EQ(stub.arrivals("/a").size(), 1U);
}

TEST_F(StartTest, with_four_migrations_at_once_lets_each_succeed)
{
    std::vector<std::unique_ptr<RelayProcess>> programs;
    for (int i = 0; i < 4; ++i) {
        programs.push_back(std::make_unique<RelayProcess>(Config(url), "migrate"));
    }
    std::size_t applied = 0;
    for (const auto& program : programs) {
        EXPECT_EQ(program->wait_exit(20s), 0) << program->log();
        EXPECT_TRUE(program->wait_for_log("schema version", 1s));
        applied += program->count_in_log("applied 0001");
    }
    EXPECT_EQ(applied, 1U);
    Sql sql(url);
    EXPECT_EQ(sql.one("select count(*) from sagabox_schema where version = 1"), "1");
    EXPECT_EQ(sql.one("select count(*) from outbox_events"), "0");
}

TEST_F(StartTest, refuses_a_schema_that_is_newer_than_the_program)
{
    {
        RelayProcess program(Config(url), "migrate");
        ASSERT_EQ(program.wait_exit(20s), 0) << program.log();
    }
    Sql(url).exec("insert into sagabox_schema (version, name) values (9999, 'later')");
    for (const char* command : {"migrate", "run"}) {
        RelayProcess program(Config(url), command);
        EXPECT_EQ(program.wait_exit(20s), 1);
        EXPECT_TRUE(program.wait_for_log("run the newer sagabox", 1s)) << program.log();
        EXPECT_TRUE(program.wait_for_log("is version 9999", 1s)) << program.log();
    }
}

class Reload : public RelayTest {};

TEST_F(Reload, puts_a_good_file_in_force_and_leaves_all_as_it_is_for_a_bad_one)
{
    stub.on("/a", Reply{});
    stub.on("/b", Reply{});
    const StartedRelay relay(config().route("a", stub).fanout("Made", {"a"}));
    await_status(emit("order-1", "Made"), "PROCESSED");
    EXPECT_EQ(stub.arrivals("/a").size(), 1U);

    relay.rewrite_config(config().route("b", stub).fanout("Made", {"b"}).text());
    relay.signal(SIGHUP);
    ASSERT_TRUE(relay.wait_for_log("reloaded: routes", patience));
    await_status(emit("order-1", "Made"), "PROCESSED");
    EXPECT_EQ(stub.arrivals("/b").size(), 1U);

    relay.rewrite_config(config().route("a", stub).fanout("Made", {"a", "nowhere"}).text());
    relay.signal(SIGHUP);
    ASSERT_TRUE(relay.wait_for_log("was not reloaded", patience));
    EXPECT_TRUE(relay.wait_for_log("nowhere", 1s));
    await_status(emit("order-1", "Made"), "PROCESSED");
    EXPECT_EQ(stub.arrivals("/a").size(), 1U);
    EXPECT_EQ(stub.arrivals("/b").size(), 2U);
}

TEST_F(Reload, lets_a_saga_under_way_finish_its_call)
{
    Reply hang;
    hang.manner = Reply::Manner::hang;
    stub.on("/a", hang);
    stub.on("/b", Reply{});
    const StartedRelay relay(config().route("a", stub).fanout("Made", {"a"}));
    const std::string event = emit("order-1", "Made");
    ASSERT_TRUE(stub.wait_for_arrivals("/a", 1, patience));
    relay.rewrite_config(
        config().route("a", stub).route("b", stub).fanout("Made", {"a", "b"}).text());
    relay.signal(SIGHUP);
    ASSERT_TRUE(relay.wait_for_log("reloaded: routes", patience));
    stub.release();
    await_status(event, "PROCESSED");
    EXPECT_EQ(stub.arrivals("/a").size(), 1U);
    EXPECT_EQ(stub.arrivals("/b").size(), 1U);
}

} // namespace
} // namespace sagabox::testing
