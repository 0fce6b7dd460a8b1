#pragma once

#include "pg/child_process.hpp"
#include "testing/postgres.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <fmt/format.h>

namespace sagabox::testing {

/// Where PgBouncer is; empty where it isn't, and then its tests are skipped.
inline std::string find_pgbouncer()
{
    for (const std::string_view place : {"/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"}) {
        if (std::filesystem::exists(place)) {
            return std::string(place);
        }
    }
    return {};
}

/// A private PgBouncer in transaction mode before the tests' cluster, on a port of its own.
class PgBouncer {
public:
    explicit PgBouncer(const std::string& program)
    {
        std::string made = "/tmp/sagabox-pgbouncer-XXXXXX";
        const Result<pg::Account> account = pg::Account::for_server();
        if (::mkdtemp(made.data()) == nullptr || !account) {
            throw std::runtime_error("no folder, or no user, for PgBouncer");
        }
        folder_ = made;
        // It refuses to be root as PostgreSQL does.
        std::filesystem::permissions(folder_, std::filesystem::perms::owner_all |
                                                  std::filesystem::perms::others_read |
                                                  std::filesystem::perms::others_exec);
        const std::filesystem::path file = folder_ / "pgbouncer.ini";
        for (int tries = 0; tries < 20; ++tries) {
            port_ = 20000 + (::getpid() * 7 + tries * 131) % 12000;
            write(file);
            Result<pg::ChildProcess> started =
                pg::ChildProcess::start({program, file.string()}, *account, folder_, log());
            if (!started) {
                throw std::runtime_error(started.error().text());
            }
            process_ = std::move(*started);
            if (answers()) {
                return;
            }
        }
        throw std::runtime_error("PgBouncer did not start; its log says: " + said());
    }
    ~PgBouncer()
    {
        process_ = pg::ChildProcess();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    PgBouncer(const PgBouncer&) = delete;
    PgBouncer& operator=(const PgBouncer&) = delete;

    [[nodiscard]] std::string url(const std::string& database) const
    {
        return fmt::format("postgresql://sagabox@127.0.0.1:{}/{}", port_, database);
    }

    [[nodiscard]] std::string said() const
    {
        std::ifstream stream(log());
        return {std::istreambuf_iterator<char>(stream), {}};
    }

private:
    [[nodiscard]] std::filesystem::path log() const { return folder_ / "pgbouncer.log"; }

    void write(const std::filesystem::path& file) const
    {
        std::ofstream(file, std::ios::trunc)
            << fmt::format("[databases]\n* = host=127.0.0.1 port={} user=sagabox\n"
                           "[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {}\n"
                           "unix_socket_dir =\nauth_type = any\npool_mode = transaction\n"
                           "default_pool_size = 4\nmax_client_conn = 200\n",
                           Postgres::instance().cluster().port(), port_);
    }

    /// False when it has ended: the port was another's.
    [[nodiscard]] bool answers()
    {
        using namespace std::chrono_literals;
        const auto give_up_at = std::chrono::steady_clock::now() + 10s;
        while (std::chrono::steady_clock::now() < give_up_at) {
            if (process_.wait(20ms)) {
                return false;
            }
            try {
                return Sql(url("postgres")).one("select 1") == "1";
            } catch (const std::runtime_error&) {
                continue; // it does not listen yet
            }
        }
        return false;
    }

    std::filesystem::path folder_;
    pg::ChildProcess process_;
    int port_ = 0;
};

} // namespace sagabox::testing
