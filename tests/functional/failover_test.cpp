// A primary that dies and its standby that takes over, both real, with synchronous commit between
// them.
#include "pg/embedded.hpp"
#include "pg/server_programs.hpp"
#include "tests/functional/saga_fixture.hpp"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace sagabox::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds patience{20};

/// A primary and a standby that has everything that was committed.
class ReplicatedDatabase {
public:
    ReplicatedDatabase()
    {
        folder_ = fs::path(fmt::format("/tmp/sagabox-test-pair-{}", ::getpid()));
        primary_ = start_cluster(folder_ / "primary");
        const fs::path standby = folder_ / "standby";
        fs::create_directories(standby);
        copy_to(standby);
        standby_ = start_cluster(standby);
        Sql admin(primary_->url());
        admin.exec("alter system set synchronous_standby_names = '*'");
        admin.exec("select pg_reload_conf()");
        admin.await("select count(*) from pg_stat_replication where sync_state = 'sync'", "1");
    }
    ~ReplicatedDatabase()
    {
        standby_.reset();
        primary_.reset();
        std::error_code error;
        fs::remove_all(folder_, error);
    }
    ReplicatedDatabase(const ReplicatedDatabase&) = delete;
    ReplicatedDatabase& operator=(const ReplicatedDatabase&) = delete;

    /// Both, for whoever can write to one of them.
    [[nodiscard]] std::string url() const
    {
        return fmt::format("postgresql://sagabox@127.0.0.1:{},127.0.0.1:{}/sagabox",
                           primary_->port(), standby_->port());
    }

    pg::EmbeddedCluster& primary() { return *primary_; }
    pg::EmbeddedCluster& standby() { return *standby_; }

private:
    /// A base backup by the server's own functions: pg_basebackup is not everywhere.
    /// PostgreSQL manual, section 26.3.3.
    void copy_to(const fs::path& standby) const
    {
        const fs::path from = folder_ / "primary" / "data";
        const fs::path to = standby / "data";
        Sql admin(primary_->url());
        admin.exec("select pg_backup_start('standby', true)");
        // Files that go away meanwhile are missed by nobody, and cp says 1 for them.
        const std::string copy =
            fmt::format("cp -a {} {} 2> /dev/null", from.string(), to.string());
        static_cast<void>(std::system(copy.c_str())); // NOLINT(concurrency-mt-unsafe): no threads
        std::ofstream(to / "backup_label") << admin.one("select labelfile from pg_backup_stop()");
        fs::remove(to / "postmaster.pid");
        for (const auto& segment : fs::directory_iterator(to / "pg_wal")) {
            if (segment.is_regular_file()) {
                fs::remove(segment.path());
            }
        }
        std::ofstream(to / "standby.signal").flush();
        std::ofstream(to / "postgresql.auto.conf", std::ios::app) << fmt::format(
            "primary_conninfo = 'host=127.0.0.1 port={} user=sagabox'\n", primary_->port());
        const std::string own = fmt::format("chown --reference={0}/PG_VERSION {1}/backup_label "
                                            "{1}/standby.signal",
                                            from.string(), to.string());
        if (std::system(own.c_str()) != 0) { // NOLINT(concurrency-mt-unsafe): no threads
            throw std::runtime_error("the copy of the primary is nobody's");
        }
    }

    fs::path folder_;
    std::unique_ptr<pg::EmbeddedCluster> primary_;
    std::unique_ptr<pg::EmbeddedCluster> standby_;
};

/// Commits orders one after the other, whichever server takes them, and knows which were confirmed.
class Producer {
public:
    explicit Producer(std::string url) : url_(std::move(url)), thread_([this] { produce(); }) {}
    ~Producer() { stop(); }
    Producer(const Producer&) = delete;
    Producer& operator=(const Producer&) = delete;

    void stop()
    {
        stopping_ = true;
        if (thread_.joinable()) {
            thread_.join();
        }
    }

    [[nodiscard]] std::set<std::string> confirmed() const
    {
        const std::lock_guard lock(mutex_);
        return confirmed_;
    }

    void wait_for(std::size_t orders) const
    {
        const auto until = std::chrono::steady_clock::now() + patience;
        while (confirmed().size() < orders) {
            if (std::chrono::steady_clock::now() > until) {
                throw std::runtime_error("the producer cannot write");
            }
            std::this_thread::sleep_for(5ms);
        }
    }

private:
    void produce()
    {
        std::unique_ptr<Sql> sql;
        for (int number = 1; !stopping_; ++number) {
            const std::string order = fmt::format("order-{}", number);
            try {
                if (!sql) {
                    sql = std::make_unique<Sql>(url_ + "?target_session_attrs=read-write");
                }
                sql->exec("insert into outbox_events (aggregate_id, event_type, payloads) "
                          "values ($1, 'Made', '{}')",
                          {order});
                const std::lock_guard lock(mutex_);
                confirmed_.insert(order);
            } catch (const std::runtime_error&) {
                sql.reset();
            }
            std::this_thread::sleep_for(3ms);
        }
    }

    std::string url_;
    mutable std::mutex mutex_;
    std::set<std::string> confirmed_;
    std::atomic<bool> stopping_{false};
    std::thread thread_;
};

class Failover : public ::testing::Test {
protected:
    [[nodiscard]] Config config()
    {
        Config text(database.url());
        for (const std::string name : {"a", "b"}) {
            stub.on("/" + name, answer(200));
            text.route(name, stub);
        }
        return text.fanout("Made", {"a", "b"});
    }

    /// Of each step, how often each of its keys was seen.
    [[nodiscard]] std::map<std::string, int> arrivals_by_key(const std::string& path) const
    {
        std::map<std::string, int> seen;
        for (const Arrival& one : stub.arrivals(path)) {
            ++seen[one.header("Idempotency-Key")];
        }
        return seen;
    }

    StubServer stub;
    ReplicatedDatabase database;
};

TEST_F(Failover, relays_go_on_at_the_standby_by_themselves_and_nothing_confirmed_is_lost)
{
    const Config text = config();
    const RelayProcess first(text);
    const RelayProcess second(text);
    ASSERT_TRUE(first.wait_until_started());
    ASSERT_TRUE(second.wait_until_started());
    Producer producer(database.url());
    producer.wait_for(100);

    // What comes back later comes back read-only, as whoever fences it sees to.
    Sql(database.primary().url()).exec("alter system set default_transaction_read_only = on");
    database.primary().crash();
    Sql promoted(database.standby().url());
    ASSERT_EQ(promoted.one("select pg_promote()"), "t");
    const auto promoted_at = std::chrono::steady_clock::now();
    const std::size_t before = producer.confirmed().size();
    producer.wait_for(before + 100);
    promoted.await("select bool_and(status = 'PROCESSED') from outbox_events "
                   "where id <= (select max(id) - 50 from outbox_events)",
                   "t");
    EXPECT_LT(std::chrono::steady_clock::now() - promoted_at, 15s);

    ASSERT_TRUE(database.primary().restart());
    Sql old(database.primary().url());
    const std::string untouched = "select count(*), max(id), count(*) filter (where status = "
                                  "'PROCESSED'), sum(claim_no) from outbox_events";
    const std::vector<Sql::Row> then = old.rows(untouched);
    producer.wait_for(producer.confirmed().size() + 100);
    producer.stop();
    promoted.await("select count(*) from outbox_events where status <> 'PROCESSED'", "0");
    EXPECT_EQ(old.rows(untouched), then) << "the old primary was written to";

    std::set<std::string> stored;
    for (const Sql::Row& row : promoted.rows("select aggregate_id from outbox_events")) {
        stored.insert(row[0]);
    }
    for (const std::string& order : producer.confirmed()) {
        EXPECT_TRUE(stored.contains(order)) << order << " was confirmed and is gone";
    }
    EXPECT_EQ(promoted.one("select count(*) from outbox_events e where (select count(*) from "
                           "aggregate_results r where r.event_id = e.id and r.success) <> 2"),
              "0");
    for (const std::string path : {"/a", "/b"}) {
        const std::map<std::string, int> seen = arrivals_by_key(path);
        EXPECT_EQ(seen.size(), stored.size()) << "one key for each order, at " << path;
    }
}

} // namespace
} // namespace sagabox::testing
