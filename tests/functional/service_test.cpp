// The relay under a service manager: sd_notify(3), on a real datagram socket.
#include "tests/functional/frozen_thread.hpp"
#include "tests/functional/saga_fixture.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace sagabox::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Listens as systemd does, in the abstract namespace, for programs that start while it lives.
class Manager {
public:
    explicit Manager(const char* watchdog_microseconds = nullptr)
        : name_("@sagabox-test-" + std::to_string(::getpid()))
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, name_.data(), name_.size());
        address.sun_path[0] = '\0';
        fd_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_.size());
        if (::bind(fd_, reinterpret_cast<const sockaddr*>(&address), length) != 0) {
            throw std::runtime_error("cannot bind the notify socket");
        }
        ::setenv("NOTIFY_SOCKET", name_.c_str(), 1);
        if (watchdog_microseconds != nullptr) {
            ::setenv("WATCHDOG_USEC", watchdog_microseconds, 1);
        }
    }
    ~Manager()
    {
        ::unsetenv("NOTIFY_SOCKET");
        ::unsetenv("WATCHDOG_USEC");
        ::close(fd_);
    }
    Manager(const Manager&) = delete;
    Manager& operator=(const Manager&) = delete;

    /// The next message that is none of `but`; empty where none comes in time.
    std::string next(std::chrono::milliseconds limit, std::string_view but = "STATUS=")
    {
        const auto until = std::chrono::steady_clock::now() + limit;
        for (;;) {
            const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                until - std::chrono::steady_clock::now());
            pollfd wait{fd_, POLLIN, 0};
            if (left.count() <= 0 || ::poll(&wait, 1, static_cast<int>(left.count())) <= 0) {
                return {};
            }
            std::array<char, 4096> text{};
            const ssize_t size = ::recv(fd_, text.data(), text.size(), 0);
            const std::string message(text.data(), static_cast<std::size_t>(size));
            if (!message.starts_with(but)) {
                return message;
            }
        }
    }

private:
    std::string name_;
    int fd_ = -1;
};

class Service : public SagaTest {};

TEST_F(Service, is_told_when_the_relay_works_reads_its_file_anew_and_stops)
{
    Manager manager;
    StartedRelay relay(abc());
    EXPECT_THAT(manager.next(patience), StartsWith("READY=1"));
    relay.signal(SIGHUP);
    EXPECT_THAT(manager.next(patience), StartsWith("RELOADING=1\nMONOTONIC_USEC="));
    EXPECT_THAT(manager.next(patience), StartsWith("READY=1"));
    relay.signal(SIGTERM);
    EXPECT_THAT(manager.next(patience), StartsWith("STOPPING=1"));
    EXPECT_EQ(relay.wait_exit(patience), 0);
}

TEST_F(Service, is_not_told_that_the_relay_works_while_the_database_is_away)
{
    Manager manager;
    const RelayProcess relay(Config("postgresql://nobody@127.0.0.1:1/nowhere"));
    ASSERT_TRUE(relay.wait_for_log("cannot reach the database", patience));
    EXPECT_THAT(manager.next(patience, "nothing"),
                ::testing::AnyOf(HasSubstr("STATUS=Waiting for the database")));
    EXPECT_EQ(manager.next(300ms), "");
}

TEST_F(Service, hears_the_watchdog_s_pulse_until_a_worker_stands_still)
{
    Manager manager("400000");
    Config text = abc();
    text.with("health.stuckAfter = 2 seconds");
    const StartedRelay relay(text);
    EXPECT_THAT(manager.next(patience), StartsWith("READY=1"));
    EXPECT_EQ(manager.next(patience), "WATCHDOG=1");
    EXPECT_EQ(manager.next(patience), "WATCHDOG=1");

    const FrozenThread frozen(relay.pid(), "worker 0");
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!manager.next(1500ms).empty()) {
        ASSERT_LT(std::chrono::steady_clock::now(), until) << "the pulse never ended";
    }
}

} // namespace
} // namespace sagabox::testing
