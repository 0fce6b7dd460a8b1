#include "pg/child_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sagabox::pg {

namespace {

// glibc 2.36 has wrappers for these, whose header does not suit C++; older ones have none.
int open_handle(pid_t pid)
{
    return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
}

void close_from(unsigned first)
{
    syscall(SYS_close_range, first, ~0U, 0);
}

bool readable_within(int descriptor, std::chrono::milliseconds timeout)
{
    pollfd entry{.fd = descriptor, .events = POLLIN, .revents = 0};
    const auto until = std::chrono::steady_clock::now() + timeout;
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        const int ready = poll(&entry, 1, static_cast<int>(std::max<long>(left.count(), 0)));
        if (ready >= 0 || errno != EINTR) {
            return ready > 0;
        }
    }
}

struct Prepared {
    std::vector<char*> arguments;
    std::string folder;
    int log;
    Account account;
    pid_t parent;
};

// Between fork and exec in a program with threads: only what is safe in a signal handler.
[[noreturn]] void become_program(const Prepared& wanted)
{
    constexpr int cannot_run = 126;
    dup2(wanted.log, STDOUT_FILENO);
    dup2(wanted.log, STDERR_FILENO);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    close_from(3);
    setsid();

    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);

    if (geteuid() == 0 && wanted.account.uid != 0) {
        if (setgroups(0, nullptr) != 0 || setgid(wanted.account.gid) != 0 ||
            setuid(wanted.account.uid) != 0) {
            _exit(cannot_run);
        }
    }
    // After setuid, which clears it.
    prctl(PR_SET_PDEATHSIG, SIGINT);
    if (getppid() != wanted.parent || chdir(wanted.folder.c_str()) != 0) {
        _exit(cannot_run);
    }
    umask(077);
    execv(wanted.arguments[0], wanted.arguments.data());
    _exit(cannot_run);
}

} // namespace

Result<Account> Account::for_server()
{
    if (geteuid() != 0) {
        const passwd* const self = getpwuid(geteuid());
        return Account{.name = self == nullptr ? std::to_string(geteuid()) : self->pw_name,
                       .uid = geteuid(),
                       .gid = getegid()};
    }
    for (const char* const name : {"postgres", "nobody"}) {
        if (const passwd* const user = getpwnam(name)) {
            return Account{.name = name, .uid = user->pw_uid, .gid = user->pw_gid};
        }
    }
    return fail(Fault::Kind::bad_input, "PostgreSQL refuses to run as root, and there is no user "
                                        "postgres or nobody to run it as");
}

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& arguments,
                                         const Account& account,
                                         const std::filesystem::path& folder,
                                         const std::filesystem::path& log)
{
    std::vector<std::string> copies = arguments;
    Prepared wanted{.arguments = {},
                    .folder = folder,
                    .log = open(log.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640),
                    .account = account,
                    .parent = getpid()};
    if (wanted.log < 0) {
        return fail(Fault::Kind::bad_input, fmt::format("The log file cannot be written: {}: {}",
                                                        log.string(), std::strerror(errno)));
    }
    for (std::string& argument : copies) {
        wanted.arguments.push_back(argument.data());
    }
    wanted.arguments.push_back(nullptr);

    const pid_t pid = fork();
    if (pid == 0) {
        become_program(wanted);
    }
    const int fork_error = errno;
    close(wanted.log);
    if (pid < 0) {
        return fail(Fault::Kind::connection,
                    fmt::format("No new process could be started: {}", std::strerror(fork_error)));
    }
    return ChildProcess(pid);
}

ChildProcess::ChildProcess(pid_t pid) : pid_(pid), handle_(open_handle(pid)) {}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), handle_(std::exchange(other.handle_, -1)),
      status_(other.status_)
{
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept
{
    std::swap(pid_, other.pid_);
    std::swap(handle_, other.handle_);
    std::swap(status_, other.status_);
    return *this;
}

ChildProcess::~ChildProcess()
{
    if (running()) {
        signal(SIGKILL);
        waitpid(pid_, &status_, 0);
    }
    if (handle_ >= 0) {
        close(handle_);
    }
}

void ChildProcess::signal(int number) const
{
    if (running()) {
        kill(pid_, number);
    }
}

bool ChildProcess::wait(std::chrono::milliseconds timeout)
{
    if (!running()) {
        return true;
    }
    readable_within(handle_, timeout);
    if (waitpid(pid_, &status_, WNOHANG) != pid_) {
        return false;
    }
    pid_ = -1;
    return true;
}

bool ChildProcess::succeeded() const
{
    return WIFEXITED(status_) && WEXITSTATUS(status_) == 0;
}

bool wait_for_end(pid_t pid, std::chrono::milliseconds timeout)
{
    const int handle = open_handle(pid);
    if (handle < 0) {
        return true;
    }
    const bool ended = readable_within(handle, timeout);
    close(handle);
    return ended;
}

} // namespace sagabox::pg
