#include "app/systemd.hpp"

#include "base/log.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace sagabox::app {

namespace {

std::string taken(const char* name)
{
    const char* const value = std::getenv(name);
    std::string out = value != nullptr ? value : "";
    ::unsetenv(name);
    return out;
}

long long number(std::string_view text)
{
    long long out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

/// systemd wants to know when a reload began, by this clock (sd_notify(3), MONOTONIC_USEC).
long long monotonic_microseconds()
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<long long>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1'000;
}

} // namespace

Systemd::Systemd() : socket_(taken("NOTIFY_SOCKET"))
{
    const long long microseconds = number(taken("WATCHDOG_USEC"));
    const std::string process = taken("WATCHDOG_PID");
    const bool ours = process.empty() || number(process) == ::getpid();
    if (microseconds > 0 && ours && !socket_.empty()) {
        // Half the time, as sd_watchdog_enabled(3) advises.
        pulse_ = std::chrono::milliseconds(std::max(microseconds / 2'000, 1LL));
    }
}

void Systemd::ready() const
{
    send("READY=1\nSTATUS=Working");
}

void Systemd::reloading() const
{
    send(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", monotonic_microseconds()));
}

void Systemd::stopping() const
{
    send("STOPPING=1\nSTATUS=Waiting for calls under way");
}

void Systemd::status(std::string_view text) const
{
    send(fmt::format("STATUS={}", text));
}

void Systemd::alive() const
{
    send("WATCHDOG=1");
}

void Systemd::send(const std::string& message) const
{
    sockaddr_un address{};
    if (socket_.empty() || socket_.size() >= sizeof address.sun_path) {
        return;
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, socket_.data(), socket_.size());
    if (socket_.front() == '@') {
        address.sun_path[0] = '\0'; // a name in the abstract namespace, unix(7)
    }
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
    const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const bool sent = fd >= 0 && ::sendto(fd, message.data(), message.size(), MSG_NOSIGNAL,
                                          reinterpret_cast<const sockaddr*>(&address), length) >= 0;
    if (!sent) {
        log::warning("relay", "the service manager could not be told \"{}\": {}",
                     message.substr(0, message.find('\n')), std::strerror(errno));
    }
    if (fd >= 0) {
        ::close(fd);
    }
}

} // namespace sagabox::app
