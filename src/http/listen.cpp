#include "http/listen.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

namespace sagabox::http {
namespace {

std::string reason(int error, const std::string& address, std::uint16_t port)
{
    switch (error) {
    case EADDRINUSE:
        return fmt::format(
            "Cannot listen, the port is in use by another program; stop it or choose "
            "another port: {} port {}",
            address, port);
    case EACCES:
        return fmt::format(
            "Cannot listen, no right to use this port; choose one above 1023: {} port {}", address,
            port);
    case EADDRNOTAVAIL:
        return fmt::format(
            "Cannot listen, this machine has no such address; use 127.0.0.1 or 0.0.0.0: "
            "{} port {}",
            address, port);
    default:
        return fmt::format("Cannot listen: {} port {}: {}", address, port, std::strerror(error));
    }
}

std::uint16_t bound_port(int descriptor)
{
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
        return 0;
    }
    return ntohs(bound.ss_family == AF_INET6
                     ? reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_port
                     : reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
}

} // namespace

Result<Listener> listen_on(const std::string& address, std::uint16_t port)
{
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE;
    addrinfo* list = nullptr;
    const int failure = getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &list);
    if (failure != 0) {
        return fail(Fault::Kind::bad_input,
                    fmt::format("Cannot listen, the address is not known here; use 127.0.0.1 or "
                                "0.0.0.0: {} port {}: {}",
                                address, port, gai_strerror(failure)));
    }
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> found(list, &freeaddrinfo);

    int error = EADDRNOTAVAIL;
    for (const addrinfo* one = found.get(); one != nullptr; one = one->ai_next) {
        const int descriptor =
            socket(one->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (descriptor < 0) {
            error = errno;
            continue;
        }
        // A restart must not wait for the old connections' TIME_WAIT.
        const int on = 1;
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (bind(descriptor, one->ai_addr, one->ai_addrlen) == 0 &&
            listen(descriptor, SOMAXCONN) == 0) {
            return Listener{.descriptor = descriptor, .port = bound_port(descriptor)};
        }
        error = errno;
        ::close(descriptor);
    }
    return fail(error == EADDRINUSE ? Fault::Kind::refused : Fault::Kind::bad_input,
                reason(error, address, port));
}

std::string address_text(const sockaddr* address)
{
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address == nullptr) {
        return {};
    }
    if (address->sa_family == AF_INET) {
        const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
        inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size());
    } else if (address->sa_family == AF_INET6) {
        const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
        inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size());
    }
    return text.data();
}

} // namespace sagabox::http
