#include "pg/embedded.hpp"

#include "pg/child_process.hpp"
#include "pg/connection_fixture.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sagabox::pg {
namespace {

namespace fs = std::filesystem;
using sagabox::testing::Sql;

class EmbeddedTest : public ::testing::Test {
protected:
    EmbeddedTest()
    {
        char made[] = "/tmp/sagabox-embedded-XXXXXX";
        parent = mkdtemp(made);
        chmod(made, 0755);
    }
    ~EmbeddedTest() override
    {
        std::error_code ignored;
        fs::remove_all(parent, ignored);
    }

    static Result<std::unique_ptr<EmbeddedCluster>> try_start(const fs::path& folder)
    {
        EmbeddedCluster::Options options;
        options.folder = folder;
        return EmbeddedCluster::start(std::move(options));
    }
    static std::unique_ptr<EmbeddedCluster> start(const fs::path& folder)
    {
        auto started = try_start(folder);
        if (!started) {
            throw std::runtime_error(started.error().text());
        }
        return std::move(*started);
    }

    fs::path parent;
};

TEST_F(EmbeddedTest, keeps_rows_through_a_crash_and_a_restart)
{
    const fs::path folder = parent / "cluster";
    {
        const auto cluster = start(folder);
        Sql(cluster->url()).exec("create table t (x int); insert into t values (1)");
        ASSERT_TRUE(cluster->crash_and_restart().has_value());
        Sql sql(cluster->url());
        EXPECT_EQ(sql.one("select x from t"), "1");
        EXPECT_EQ(sql.one("show fsync"), "on");
        EXPECT_EQ(sql.one("show server_encoding"), "UTF8");
    }
    const auto again = start(folder);
    EXPECT_EQ(Sql(again->url()).one("select x from t"), "1");
}

TEST_F(EmbeddedTest, answers_on_its_loopback_port_too)
{
    const auto cluster = start(parent / "cluster");
    Sql sql(fmt::format("postgresql://sagabox@127.0.0.1:{}/sagabox", cluster->port()));
    EXPECT_EQ(sql.one("select 1"), "1");
}

TEST_F(EmbeddedTest, keeps_its_url_while_it_is_stopped_and_started)
{
    const auto cluster = start(parent / "cluster");
    const std::string url = cluster->url();
    ASSERT_TRUE(cluster->stop().has_value());
    EXPECT_THROW(Sql{url}, std::runtime_error);
    ASSERT_TRUE(cluster->restart().has_value());
    EXPECT_EQ(Sql(url).one("select 1"), "1");
}

TEST_F(EmbeddedTest, names_the_process_that_runs_it_already)
{
    const auto cluster = start(parent / "cluster");
    const auto second = try_start(parent / "cluster");
    ASSERT_FALSE(second.has_value());
    EXPECT_NE(second.error().text().find(fmt::format("process {}", getpid())), std::string::npos);
    EXPECT_EQ(Sql(cluster->url()).one("select 1"), "1");
}

TEST_F(EmbeddedTest, starts_over_a_pid_file_that_names_a_stranger)
{
    const fs::path folder = parent / "cluster";
    static_cast<void>(start(folder));
    std::ofstream(folder / "data" / "postmaster.pid") << getppid() << "\n"
                                                      << folder.string() << "\n";
    EXPECT_EQ(Sql(start(folder)->url()).one("select 1"), "1");
}

TEST_F(EmbeddedTest, starts_over_an_initdb_that_was_cut_short)
{
    const fs::path folder = parent / "cluster";
    fs::create_directories(folder / "data.unfinished" / "base");
    std::ofstream(folder / "data.unfinished" / "PG_VERSION") << "15\n";
    EXPECT_EQ(Sql(start(folder)->url()).one("select 1"), "1");
}

TEST_F(EmbeddedTest, puts_its_socket_elsewhere_when_the_path_is_too_long)
{
    fs::path socket_folder;
    {
        const auto cluster = start(parent / std::string(120, 'd'));
        Sql sql(cluster->url());
        socket_folder =
            sql.one("select trim(both '\"' from current_setting('unix_socket_directories'))");
        EXPECT_TRUE(socket_folder.string().starts_with("/tmp/sagabox-socket-"));
    }
    EXPECT_FALSE(fs::exists(socket_folder));
}

TEST_F(EmbeddedTest, names_the_parent_that_the_server_may_not_enter)
{
    if (geteuid() != 0) {
        GTEST_SKIP() << "only root runs the server as another user";
    }
    const fs::path shut = parent / "shut";
    fs::create_directory(shut);
    chmod(shut.c_str(), 0700);
    const auto refused = try_start(shut / "cluster");
    ASSERT_FALSE(refused.has_value());
    EXPECT_NE(refused.error().text().find("chmod o+x " + shut.string()), std::string::npos);
}

TEST_F(EmbeddedTest, ends_the_server_when_it_is_destroyed)
{
    auto cluster = start(parent / "cluster");
    const pid_t pid = cluster->pid();
    EXPECT_EQ(kill(pid, 0), 0);
    cluster.reset();
    EXPECT_NE(kill(pid, 0), 0);
}

TEST_F(EmbeddedTest, does_not_outlive_a_process_that_was_killed)
{
    int channel[2];
    ASSERT_EQ(pipe(channel), 0);
    const pid_t owner = fork();
    if (owner == 0) {
        const auto cluster = start(parent / "cluster");
        const pid_t server = cluster->pid();
        if (write(channel[1], &server, sizeof server) != sizeof server) {
            _exit(1);
        }
        pause();
    }
    pid_t server = 0;
    ASSERT_EQ(read(channel[0], &server, sizeof server), static_cast<ssize_t>(sizeof server));
    kill(owner, SIGKILL);
    EXPECT_TRUE(wait_for_end(server, 20s));
    waitpid(owner, nullptr, 0);
    close(channel[0]);
    close(channel[1]);
    EXPECT_EQ(Sql(start(parent / "cluster")->url()).one("select 1"), "1");
}

TEST_F(EmbeddedTest, takes_a_wrong_password_for_what_it_is)
{
    const auto cluster = start(parent / "cluster");
    Sql(cluster->url()).exec("create role app login password 'correct'");
    ASSERT_TRUE(cluster->stop().has_value());
    std::ofstream(parent / "cluster" / "data" / "pg_hba.conf")
        << "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
    ASSERT_TRUE(cluster->restart().has_value());

    asio::io_context context;
    Options options;
    options.url = fmt::format("postgresql://app:hunter2@127.0.0.1:{}/sagabox", cluster->port());
    const auto opened = sagabox::testing::run(
        context, Connection::open(context.get_executor(), options, Deadline::after(10s)));
    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().kind(), Fault::Kind::connection);
    EXPECT_NE(opened.error().text().find("password authentication failed"), std::string::npos);
    EXPECT_EQ(opened.error().text().find("hunter2"), std::string::npos);
}

} // namespace
} // namespace sagabox::pg
