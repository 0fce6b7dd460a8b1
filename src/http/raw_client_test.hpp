#pragma once

#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace sagabox::http {

/// A socket to a server on the loopback, so that a test decides on each byte. Reads give up after
/// 10 seconds.
class RawClient {
public:
    explicit RawClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const timeval limit{.tv_sec = 10, .tv_usec = 0};
        setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        connected_ =
            ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }
    ~RawClient() { ::close(socket_); }
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;

    [[nodiscard]] bool connected() const { return connected_; }

    void send(std::string_view bytes)
    {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) {
                return;
            }
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    }

    /// Reads until `text` has come; what had come when it had, or when the server closed.
    std::string read_until(std::string_view text)
    {
        while (received_.find(text) == std::string::npos && read_more()) {
        }
        return received_;
    }

    /// Reads one answer with a Content-Length, and takes it out of what has come.
    std::string read_answer()
    {
        read_until("\r\n\r\n");
        const std::size_t head = received_.find("\r\n\r\n");
        const std::size_t at = received_.find("Content-Length: ");
        if (head == std::string::npos || at == std::string::npos) {
            return received_;
        }
        const std::size_t whole = head + 4 + std::stoul(received_.substr(at + 16));
        while (received_.size() < whole && read_more()) {
        }
        const std::string answer = received_.substr(0, whole);
        received_.erase(0, whole);
        return answer;
    }

    /// True when the server closes; false when it sends something or stays silent.
    bool closed_by_server()
    {
        char byte = 0;
        return ::recv(socket_, &byte, 1, 0) == 0 || errno == ECONNRESET;
    }

private:
    bool read_more()
    {
        char bytes[4096];
        const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
        if (got <= 0) {
            return false;
        }
        received_.append(bytes, static_cast<std::size_t>(got));
        return true;
    }

    int socket_;
    bool connected_ = false;
    std::string received_;
};

} // namespace sagabox::http
