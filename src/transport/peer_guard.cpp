#include "transport/peer_guard.hpp"

#include <array>

#include <netdb.h>
#include <sys/socket.h>

namespace sagabox::transport {

void PeerGuard::attach(CURL* easy)
{
    if (rules_.has_any()) {
        curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &PeerGuard::open_socket);
        curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, this);
    }
}

curl_socket_t PeerGuard::open_socket(void* guard, curlsocktype, curl_sockaddr* address)
{
    PeerGuard& self = *static_cast<PeerGuard*>(guard);
    if (!self.rules_.permits(address->addr)) {
        std::array<char, NI_MAXHOST> text{};
        const int failed = getnameinfo(&address->addr, address->addrlen, text.data(), text.size(),
                                       nullptr, 0, NI_NUMERICHOST);
        self.refused_ = failed == 0 ? text.data() : "the address";
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

} // namespace sagabox::transport
