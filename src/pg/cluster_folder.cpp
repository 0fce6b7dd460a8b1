#include "pg/cluster_folder.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sagabox::pg {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// What the kernel allows for a socket's path, and the longest name that PostgreSQL puts into it.
constexpr std::size_t longest_socket_path = 107;
constexpr std::string_view longest_socket_name = "/.s.PGSQL.65535";

tl::unexpected<Fault> unusable(std::string_view what, const fs::path& path, int error)
{
    return fail(Fault::Kind::bad_input,
                fmt::format("{}: {}: {}", what, path.string(), std::strerror(error)));
}

bool may_enter(const struct stat& folder, const Account& account)
{
    if (folder.st_uid == account.uid) {
        return (folder.st_mode & S_IXUSR) != 0;
    }
    if (folder.st_gid == account.gid) {
        return (folder.st_mode & S_IXGRP) != 0;
    }
    return (folder.st_mode & S_IXOTH) != 0;
}

/// The server runs as another user than we do, so a folder that is open to us may be shut to it.
Result<void> check_parents(const fs::path& folder, const Account& account)
{
    for (fs::path parent = folder.parent_path();; parent = parent.parent_path()) {
        struct stat status = {};
        if (stat(parent.c_str(), &status) != 0) {
            return unusable("The cluster's folder cannot be reached", parent, errno);
        }
        if (!may_enter(status, account)) {
            return fail(
                Fault::Kind::bad_input,
                fmt::format("PostgreSQL runs as user {0}, who may not enter {1}, a parent of "
                            "{2}. Choose another folder, or run: chmod o+x {1}",
                            account.name, parent.string(), folder.string()));
        }
        if (parent == parent.root_path()) {
            return {};
        }
    }
}

Result<void> make_owned(const fs::path& folder, const Account& account)
{
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        return unusable("The folder cannot be made", folder, error.value());
    }
    if (geteuid() == 0 && chown(folder.c_str(), account.uid, account.gid) != 0) {
        return unusable("The folder cannot be given to PostgreSQL's user", folder, errno);
    }
    chmod(folder.c_str(), 0700);
    return {};
}

std::string first_line(const fs::path& file)
{
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

Result<int> take_lock(const fs::path& folder)
{
    const fs::path file = folder / "lock";
    const int lock = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (lock < 0) {
        return unusable("The lock file cannot be opened", file, errno);
    }
    if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        close(lock);
        return fail(
            Fault::Kind::bad_input,
            fmt::format("Another process runs the PostgreSQL cluster in {}: process {}. Stop "
                        "it, or choose another folder",
                        folder.string(), first_line(file)));
    }
    const std::string pid = fmt::format("{}\n", getpid());
    if (ftruncate(lock, 0) != 0 || write(lock, pid.data(), pid.size()) < 0) {
        const int error = errno;
        close(lock);
        return unusable("The lock file cannot be written", file, error);
    }
    return lock;
}

} // namespace

ClusterFolder::ClusterFolder(fs::path folder, Account account, int lock)
    : folder_(std::move(folder)), account_(std::move(account)), lock_(lock)
{
}

ClusterFolder::ClusterFolder(ClusterFolder&& other) noexcept
    : folder_(std::move(other.folder_)), sockets_(std::move(other.sockets_)),
      account_(std::move(other.account_)), lock_(std::exchange(other.lock_, -1))
{
}

ClusterFolder::~ClusterFolder()
{
    if (lock_ < 0) {
        return;
    }
    if (!sockets_.empty() && sockets_.parent_path() != folder_) {
        std::error_code ignored;
        fs::remove_all(sockets_, ignored);
        fs::remove(folder_ / "socket-folder", ignored);
    }
    close(lock_);
}

Result<ClusterFolder> ClusterFolder::take(fs::path folder, Account account)
{
    std::error_code error;
    folder = fs::absolute(folder, error).lexically_normal();
    if (!folder.has_filename()) {
        folder = folder.parent_path();
    }
    if (Result<void> made = make_owned(folder, account); !made) {
        return fail(made.error());
    }
    if (Result<void> open = check_parents(folder, account); !open) {
        return fail(open.error());
    }
    const Result<int> lock = take_lock(folder);
    if (!lock) {
        return fail(lock.error());
    }
    ClusterFolder taken(std::move(folder), std::move(account), *lock);
    if (Result<void> ended = taken.end_orphan(); !ended) {
        return fail(ended.error());
    }
    if (Result<void> made = taken.make_sockets(); !made) {
        return fail(made.error());
    }
    return taken;
}

// We hold the lock, so no live process of ours runs a server here. One may still be on its way out,
// or its pid file may name a pid that now belongs to another program; PostgreSQL would refuse to
// start in both cases.
Result<void> ClusterFolder::end_orphan() const
{
    const fs::path pid_file = data() / "postmaster.pid";
    std::error_code error;
    if (!fs::exists(pid_file, error)) {
        return {};
    }
    const pid_t pid = std::atoi(first_line(pid_file).c_str());
    const fs::path process = fs::path("/proc") / std::to_string(pid);
    const bool is_ours = pid > 0 && fs::read_symlink(process / "cwd", error) == data();
    if (is_ours) {
        kill(pid, SIGINT);
        if (!wait_for_end(pid, 10s)) {
            kill(pid, SIGQUIT);
        }
        if (!wait_for_end(pid, 10s)) {
            return fail(
                Fault::Kind::bad_input,
                fmt::format("A PostgreSQL server that nobody watches runs in {} and does not "
                            "stop: process {}. Stop it",
                            data().string(), pid));
        }
    }
    fs::remove(pid_file, error);
    return {};
}

Result<void> ClusterFolder::make_sockets()
{
    std::error_code ignored;
    const fs::path record = folder_ / "socket-folder";
    if (const std::string left_behind = first_line(record);
        left_behind.starts_with("/tmp/sagabox-socket-")) {
        fs::remove_all(left_behind, ignored);
    }
    fs::remove_all(folder_ / "socket", ignored);

    sockets_ = folder_ / "socket";
    if (sockets_.string().size() + longest_socket_name.size() > longest_socket_path) {
        char made[] = "/tmp/sagabox-socket-XXXXXX";
        if (mkdtemp(made) == nullptr) {
            return unusable("No folder for the server's socket could be made", "/tmp", errno);
        }
        sockets_ = made;
        std::ofstream(record) << made << '\n';
    }
    return make_owned(sockets_, account_);
}

std::string ClusterFolder::end_of_log() const
{
    constexpr std::streamoff enough = 2000;
    std::ifstream stream(log(), std::ios::binary | std::ios::ate);
    const std::streamoff size = stream.tellg();
    if (size <= 0) {
        return {};
    }
    stream.seekg(std::max<std::streamoff>(0, size - enough));
    return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace sagabox::pg
