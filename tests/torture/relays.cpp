#include "tests/torture/relays.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sagabox::torture {

Relay::Relay(const std::filesystem::path& folder, int number, int database_port, std::string config)
    : gate_(static_cast<std::uint16_t>(database_port)),
      file_(folder / fmt::format("relay-{}.conf", number)),
      log_(folder / fmt::format("relay-{}.log", number)),
      config_(fmt::format("database.url = \"postgresql://sagabox@127.0.0.1:{}/sagabox\"\n{}",
                          gate_.port(), config))
{
    configure("");
}

Relay::~Relay()
{
    if (running()) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
}

void Relay::configure(const std::string& more) const
{
    std::ofstream(file_, std::ios::trunc) << config_ << more << '\n';
}

void Relay::start(const std::string& failpoint)
{
    failpoint_ = failpoint;
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) {
        throw std::runtime_error("the program could not be started");
    }
    if (pid_ > 0) {
        return;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
        ::_exit(126);
    }
    const int log = ::open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    ::dup2(log, STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    // A copy of a gate's or a service's socket would keep open what these close.
    ::close_range(3, ~0U, 0);
    ::setenv("SAGABOX_FAILPOINT", failpoint.c_str(), 1);
    ::execl(SAGABOX_BINARY, SAGABOX_BINARY, "run", "-c", file_.c_str(), nullptr);
    ::_exit(127);
}

void Relay::signal(int number) const
{
    if (running()) {
        ::kill(pid_, number);
    }
}

std::optional<int> Relay::ended()
{
    int status = 0;
    if (!running() || ::waitpid(pid_, &status, WNOHANG) != pid_) {
        return std::nullopt;
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace sagabox::torture
