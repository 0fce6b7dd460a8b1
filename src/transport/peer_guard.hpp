#pragma once

#include "base/address_rules.hpp"

#include <string>

#include <curl/curl.h>

namespace sagabox::transport {

/// Keeps a libcurl handle from connecting where the rules do not permit it.
class PeerGuard {
public:
    /// `rules` must outlive the guard, and the guard what is attached to it.
    explicit PeerGuard(const AddressRules& rules) : rules_(rules) {}
    PeerGuard(const PeerGuard&) = delete;
    PeerGuard& operator=(const PeerGuard&) = delete;

    void attach(CURL* easy);
    void forget() { refused_.clear(); }

    /// The address that was last refused; empty: none was.
    [[nodiscard]] const std::string& refused() const { return refused_; }

private:
    static curl_socket_t open_socket(void* guard, curlsocktype purpose, curl_sockaddr* address);

    const AddressRules& rules_;
    std::string refused_;
};

} // namespace sagabox::transport
