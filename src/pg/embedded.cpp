#include "pg/embedded.hpp"

#include "pg/child_process.hpp"
#include "pg/cluster_folder.hpp"
#include "pg/server_programs.hpp"

#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sagabox::pg {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::string_view superuser = "sagabox";

/// A port that nobody uses now. Somebody may before the server does; the caller tries again then.
Result<int> free_port()
{
    const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    const bool bound =
        probe >= 0 && bind(probe, generic, size) == 0 && getsockname(probe, generic, &size) == 0;
    const int error = errno;
    if (probe >= 0) {
        close(probe);
    }
    if (!bound) {
        return fail(Fault::Kind::connection,
                    fmt::format("No free port on 127.0.0.1: {}", std::strerror(error)));
    }
    return ntohs(address.sin_port);
}

std::string percent_encoded(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.') {
            out += c;
        } else {
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return out;
}

std::vector<pid_t> children_of(pid_t parent)
{
    std::vector<pid_t> children;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
        const pid_t pid = std::atoi(entry.path().filename().c_str());
        if (pid <= 0) {
            continue;
        }
        // "pid (name) state ppid …", and the name may hold blanks and parentheses.
        std::ifstream stream(entry.path() / "stat");
        std::string line;
        std::getline(stream, line);
        const std::size_t name_end = line.rfind(')');
        if (name_end != std::string::npos && name_end + 4 < line.size() &&
            std::atoi(line.c_str() + name_end + 4) == parent) {
            children.push_back(pid);
        }
    }
    return children;
}

using Libpq = std::unique_ptr<PGconn, decltype(&PQfinish)>;

Libpq connect(const std::string& url)
{
    return {PQconnectdb(url.c_str()), &PQfinish};
}

} // namespace

struct EmbeddedCluster::Impl {
    Impl(Options given, ClusterFolder taken, fs::path found)
        : options(std::move(given)), folder(std::move(taken)), programs(std::move(found))
    {
    }
    ~Impl() { end(); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    Result<void> make_data() const;
    Result<void> begin_on_free_port();
    Result<void> begin();
    Result<void> wait_until_ready();
    Result<void> make_database() const;
    void end();
    void crash();
    [[nodiscard]] std::string url_of(std::string_view database) const;
    [[nodiscard]] Fault did_not_start() const;

    Options options;
    ClusterFolder folder;
    fs::path programs;
    ChildProcess server;
    int port = 0;
    std::string url;
};

std::string EmbeddedCluster::Impl::url_of(std::string_view database) const
{
    return fmt::format("postgresql://{}@/{}?host={}&port={}", superuser, percent_encoded(database),
                       percent_encoded(folder.sockets().string()), port);
}

Fault EmbeddedCluster::Impl::did_not_start() const
{
    return {Fault::Kind::connection,
            fmt::format("The embedded PostgreSQL did not start; {} ends with: {}",
                        folder.log().string(), folder.end_of_log())};
}

// In a folder beside it that is renamed at the end: an initdb that is cut short must not leave
// something behind that looks like a cluster.
Result<void> EmbeddedCluster::Impl::make_data() const
{
    std::error_code error;
    if (fs::exists(folder.data() / "PG_VERSION", error)) {
        return {};
    }
    const fs::path unfinished = folder.path() / "data.unfinished";
    fs::remove_all(unfinished, error);
    std::vector<std::string> command{(programs / "initdb").string(),
                                     "--pgdata=" + unfinished.string(),
                                     fmt::format("--username={}", superuser),
                                     "--auth=trust",
                                     "--encoding=UTF8",
                                     "--locale=C.UTF-8",
                                     "--no-instructions"};
    if (!options.durable) {
        command.emplace_back("--no-sync");
    }
    Result<ChildProcess> initdb =
        ChildProcess::start(command, folder.account(), folder.path(), folder.log());
    if (!initdb) {
        return fail(initdb.error());
    }
    if (!initdb->wait(120s) || !initdb->succeeded()) {
        return fail(Fault::Kind::bad_input,
                    fmt::format("initdb failed; {} ends with: {}", folder.log().string(),
                                folder.end_of_log()));
    }
    fs::rename(unfinished, folder.data(), error);
    if (error) {
        return fail(Fault::Kind::bad_input,
                    fmt::format("The new cluster could not be renamed to {}: "
                                "{}",
                                folder.data().string(), error.message()));
    }
    return {};
}

Result<void> EmbeddedCluster::Impl::begin()
{
    const std::string durable = options.durable ? "on" : "off";
    std::vector<std::string> command{(programs / "postgres").string(), "-D",
                                     folder.data().string()};
    for (const std::string& setting : {
             std::string("listen_addresses=127.0.0.1"),
             fmt::format("port={}", port),
             fmt::format("unix_socket_directories=\"{}\"", folder.sockets().string()),
             std::string("max_connections=200"),
             std::string("shared_buffers=128MB"),
             std::string("wal_level=replica"),
             std::string("log_line_prefix=%m [%p] %a "),
             std::string("log_timezone=UTC"),
             "fsync=" + durable,
             "full_page_writes=" + durable,
         }) {
        command.emplace_back("-c");
        command.push_back(setting);
    }
    Result<ChildProcess> started =
        ChildProcess::start(command, folder.account(), folder.path(), folder.log());
    if (!started) {
        return fail(started.error());
    }
    server = std::move(*started);
    return wait_until_ready();
}

Result<void> EmbeddedCluster::Impl::wait_until_ready()
{
    // Crash recovery may take its time; a server that gives up is noticed at once.
    const auto give_up_at = std::chrono::steady_clock::now() + 120s;
    const std::string maintenance = url_of("postgres");
    while (PQping(maintenance.c_str()) != PQPING_OK) {
        if (server.wait(5ms) || std::chrono::steady_clock::now() > give_up_at) {
            return fail(did_not_start());
        }
    }
    return {};
}

Result<void> EmbeddedCluster::Impl::begin_on_free_port()
{
    constexpr int tries = 3;
    for (int i = 1;; ++i) {
        const Result<int> found = free_port();
        if (!found) {
            return fail(found.error());
        }
        port = *found;
        Result<void> begun = begin();
        const bool port_taken =
            !begun && folder.end_of_log().find("Address already in use") != std::string::npos;
        if (!port_taken || i == tries) {
            return begun;
        }
    }
}

Result<void> EmbeddedCluster::Impl::make_database() const
{
    if (PQstatus(connect(url_of(options.database)).get()) == CONNECTION_OK) {
        return {};
    }
    const Libpq connection = connect(url_of("postgres"));
    char* const name =
        PQescapeIdentifier(connection.get(), options.database.data(), options.database.size());
    const std::string text = fmt::format("create database {}", name == nullptr ? "" : name);
    PQfreemem(name);
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(
        PQexec(connection.get(), text.c_str()), &PQclear);
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) {
        return fail(Fault::Kind::refused,
                    fmt::format("The database {} could not be made: {}", options.database,
                                PQerrorMessage(connection.get())));
    }
    return {};
}

void EmbeddedCluster::Impl::end()
{
    // Fast, then immediate; a server that survives both is killed by its handle.
    for (const int request : {SIGINT, SIGQUIT}) {
        server.signal(request);
        if (server.wait(30s)) {
            return;
        }
    }
    server = ChildProcess();
}

void EmbeddedCluster::Impl::crash()
{
    const std::vector<pid_t> backends = children_of(server.pid());
    // The server first: it would answer the death of a backend by a recovery of its own.
    server.signal(SIGKILL);
    for (const pid_t backend : backends) {
        kill(backend, SIGKILL);
    }
    // A new server refuses to start while anyone is attached to the old one's shared memory.
    for (const pid_t backend : backends) {
        static_cast<void>(wait_for_end(backend, 10s));
    }
    static_cast<void>(server.wait(10s));
}

EmbeddedCluster::EmbeddedCluster(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

EmbeddedCluster::~EmbeddedCluster() = default;

Result<std::unique_ptr<EmbeddedCluster>> EmbeddedCluster::start(Options options)
{
    Result<fs::path> programs = find_server_programs();
    if (!programs) {
        return fail(programs.error());
    }
    Result<Account> account = Account::for_server();
    if (!account) {
        return fail(account.error());
    }
    Result<ClusterFolder> folder = ClusterFolder::take(options.folder, std::move(*account));
    if (!folder) {
        return fail(folder.error());
    }
    auto impl =
        std::make_unique<Impl>(std::move(options), std::move(*folder), std::move(*programs));
    Result<void> ready = impl->make_data();
    if (ready) {
        ready = impl->begin_on_free_port();
    }
    if (ready) {
        ready = impl->make_database();
    }
    if (!ready) {
        return fail(ready.error());
    }
    impl->url = impl->url_of(impl->options.database);
    return std::unique_ptr<EmbeddedCluster>(new EmbeddedCluster(std::move(impl)));
}

const std::string& EmbeddedCluster::url() const
{
    return impl_->url;
}

std::string EmbeddedCluster::url(const std::string& database) const
{
    return impl_->url_of(database);
}

int EmbeddedCluster::port() const
{
    return impl_->port;
}

int EmbeddedCluster::pid() const
{
    return impl_->server.pid();
}

void EmbeddedCluster::crash()
{
    impl_->crash();
}

Result<void> EmbeddedCluster::crash_and_restart()
{
    impl_->crash();
    return impl_->begin();
}

Result<void> EmbeddedCluster::stop()
{
    impl_->end();
    return {};
}

Result<void> EmbeddedCluster::restart()
{
    return impl_->begin();
}

} // namespace sagabox::pg
