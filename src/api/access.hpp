#pragma once

#include "api/sessions.hpp"
#include "http/server.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sagabox::api {

/// Whether an address can be reached from this machine alone.
[[nodiscard]] bool is_loopback(std::string_view address);

/// Decides who may ask at all.
///
/// On the loopback nobody else can connect, but a web page in a browser here can: by a name of its
/// own that it lets point to 127.0.0.1, or by a form that it sends across. So the host that is
/// named must be ours, and what changes something must come from a page of ours, or from no page.
/// Beyond the loopback, and wherever a token is set, the token decides.
class Access {
public:
    Access(std::string address, std::optional<std::string> token);

    /// What an operation asks of whoever asks for it.
    enum class Needs : std::uint8_t {
        nothing, ///< probes of a load balancer, which know no token
        token,   ///< where one is set
    };

    /// Why the request is refused; nothing where it may go on.
    [[nodiscard]] std::optional<http::Response> refuse(const http::Request& request,
                                                       Needs needs) const;

    /// Lets a browser in that gives the token: the session's name, for a cookie. Nothing for a
    /// wrong token, or where none is set and nobody needs one.
    [[nodiscard]] std::optional<std::string> open_session(std::string_view token);

    [[nodiscard]] bool needs_token() const { return token_.has_value(); }

private:
    [[nodiscard]] bool names_us(std::string_view host) const;
    [[nodiscard]] bool may_enter(const http::Request& request) const;

    std::string address_;
    std::optional<std::string> token_;
    Sessions sessions_;
};

} // namespace sagabox::api
