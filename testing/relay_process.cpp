#include "testing/relay_process.hpp"

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sagabox::testing {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

Config::Config(const std::string& database_url)
{
    with(fmt::format("database.url = \"{}\"", database_url));
    with("http.port = 0");
    with("outbox.poolSize = 1");
    with("outbox.leaseDuration = 1 second");
    with("outbox.cleanupInterval = 200 milliseconds");
    with("outbox.pollInterval = 200 milliseconds");
    with("outbox.dlq.pollInterval = 200 milliseconds");
    with("outbox.shutdownGrace = 5 seconds");
    with("outbox.backoff { kind = linear, base = 50 milliseconds, max = 1 second }");
}

Config& Config::with(std::string_view line)
{
    text_ += line;
    text_ += '\n';
    return *this;
}

Config& Config::route(const std::string& name, const StubServer& stub, Revert revert)
{
    with(fmt::format("outbox.http.routes.{} {{ url = \"{}\", timeout = 10 seconds }}", name,
                     stub.url("/" + name)));
    if (revert == Revert::always) {
        with(fmt::format("outbox.http.routes.{}.revert {{ url = \"{}\", method = \"DELETE\" }}",
                         name, stub.url("/" + name + "/undo")));
    }
    return *this;
}

Config& Config::fanout(std::string_view type, const std::vector<std::string>& destinations)
{
    return with(fmt::format("outbox.http.fanout.\"{}\" = [\"{}\"]", type,
                            fmt::join(destinations, "\", \"")));
}

struct RelayProcess::Impl {
    fs::path folder;
    fs::path file;
    pid_t pid = -1;
    int handle = -1; ///< a pidfd: becomes readable at the end
    int output = -1;
    std::optional<int> code;

    std::thread reader;
    mutable std::mutex mutex;
    mutable std::condition_variable grew;
    std::string text;
    bool ended = false;

    void read_all()
    {
        char buffer[4096];
        ssize_t got = 0;
        while ((got = ::read(output, buffer, sizeof buffer)) > 0) {
            const std::lock_guard lock(mutex);
            text.append(buffer, static_cast<std::size_t>(got));
            grew.notify_all();
        }
        const std::lock_guard lock(mutex);
        ended = true;
        grew.notify_all();
    }
};

RelayProcess::RelayProcess(const Config& config, const std::string& command)
    : impl_(std::make_unique<Impl>())
{
    std::string folder = "/tmp/sagabox-run-XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr) {
        throw std::runtime_error("no folder for a configuration file under /tmp");
    }
    impl_->folder = folder;
    impl_->file = impl_->folder / "sagabox.conf";
    rewrite_config(config.text());

    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipe for the program's output");
    }
    const std::string file = impl_->file.string();
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) {
            ::_exit(126);
        }
        ::dup2(ends[1], STDOUT_FILENO);
        ::dup2(ends[1], STDERR_FILENO);
        ::execl(SAGABOX_BINARY, SAGABOX_BINARY, command.c_str(), "-c", file.c_str(), nullptr);
        ::_exit(127);
    }
    ::close(ends[1]);
    impl_->output = ends[0];
    if (child < 0) {
        throw std::runtime_error("the program could not be started");
    }
    impl_->pid = child;
    impl_->handle = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
    impl_->reader = std::thread([impl = impl_.get()] { impl->read_all(); });
}

RelayProcess::~RelayProcess()
{
    kill();
    impl_->reader.join();
    ::close(impl_->output);
    ::close(impl_->handle);
    std::error_code ignored;
    fs::remove_all(impl_->folder, ignored);
}

int RelayProcess::pid() const
{
    return impl_->pid;
}

void RelayProcess::signal(int number) const
{
    // Reaped by `wait_exit` only, so the pid is still its own until there is a code.
    if (!impl_->code) {
        ::kill(impl_->pid, number);
    }
}

void RelayProcess::kill()
{
    signal(SIGKILL);
    static_cast<void>(wait_exit(30s));
}

std::optional<int> RelayProcess::wait_exit(std::chrono::milliseconds timeout)
{
    if (impl_->code) {
        return impl_->code;
    }
    pollfd end{impl_->handle, POLLIN, 0};
    int ready = 0;
    do {
        ready = ::poll(&end, 1, static_cast<int>(timeout.count()));
    } while (ready < 0 && errno == EINTR);
    if (ready <= 0) {
        return std::nullopt;
    }
    int status = 0;
    ::waitpid(impl_->pid, &status, 0);
    impl_->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return impl_->code;
}

bool RelayProcess::wait_for_log(std::string_view text, std::chrono::milliseconds timeout) const
{
    std::unique_lock lock(impl_->mutex);
    const auto found = [this, text] {
        return impl_->text.find(text) != std::string::npos;
    };
    impl_->grew.wait_for(lock, timeout, [this, &found] { return found() || impl_->ended; });
    return found();
}

bool RelayProcess::wait_until_started() const
{
    return wait_for_log("relay: started", 20s);
}

std::string RelayProcess::log() const
{
    const std::lock_guard lock(impl_->mutex);
    return impl_->text;
}

std::size_t RelayProcess::count_in_log(std::string_view text) const
{
    const std::string all = log();
    std::size_t count = 0;
    for (std::size_t at = all.find(text); at != std::string::npos;
         at = all.find(text, at + text.size())) {
        ++count;
    }
    return count;
}

void RelayProcess::rewrite_config(std::string_view text) const
{
    std::ofstream(impl_->file, std::ios::trunc) << text;
}

const fs::path& RelayProcess::config_file() const
{
    return impl_->file;
}

} // namespace sagabox::testing
