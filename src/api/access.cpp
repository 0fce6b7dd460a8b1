#include "api/access.hpp"

#include "api/answer.hpp"

#include <algorithm>
#include <utility>

#include <strings.h>

namespace sagabox::api {

namespace {

bool same_text(std::string_view a, std::string_view b)
{
    return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::string_view without_brackets(std::string_view address)
{
    if (address.size() >= 2 && address.front() == '[' && address.back() == ']') {
        return address.substr(1, address.size() - 2);
    }
    return address;
}

/// `localhost:9000`, `[::1]:9000`: what stands before the port.
std::string_view host_name(std::string_view host)
{
    if (host.starts_with('[')) {
        return host.substr(0, host.find(']') + 1);
    }
    return host.substr(0, host.find(':'));
}

/// Takes as long for a wrong token as for the right one, so that time tells nothing about it.
bool equal_in_constant_time(std::string_view given, std::string_view wanted)
{
    unsigned difference = given.size() == wanted.size() ? 0U : 1U;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const char other = wanted.empty() ? '\0' : wanted[i % wanted.size()];
        difference |= static_cast<unsigned>(static_cast<unsigned char>(given[i])) ^
                      static_cast<unsigned>(static_cast<unsigned char>(other));
    }
    return difference == 0;
}

/// The token that a request brings.
std::string_view presented_token(const http::Request& request)
{
    constexpr std::string_view scheme = "Bearer ";
    std::string_view given = request.header("Authorization");
    if (given.size() <= scheme.size() || !same_text(given.substr(0, scheme.size()), scheme)) {
        return {};
    }
    given.remove_prefix(scheme.size());
    given.remove_prefix(std::min(given.find_first_not_of(' '), given.size()));
    return given;
}

/// Whether a browser says that a page of another origin sends this.
bool comes_from_elsewhere(const http::Request& request)
{
    const std::string_view site = request.header("Sec-Fetch-Site");
    if (!site.empty() && site != "same-origin" && site != "none") {
        return true;
    }
    const std::string_view origin = request.header("Origin");
    if (origin.empty()) {
        return false;
    }
    const std::string_view host = request.header("Host");
    return !same_text(origin, "http://" + std::string(host)) &&
           !same_text(origin, "https://" + std::string(host));
}

bool is_json(std::string_view content_type)
{
    std::string_view type = content_type.substr(0, content_type.find(';'));
    type = type.substr(0, type.find_last_not_of(" \t") + 1);
    return same_text(type, "application/json");
}

} // namespace

bool is_loopback(std::string_view address)
{
    const std::string_view bare = without_brackets(address);
    return same_text(bare, "localhost") || bare == "::1" ||
           (bare.starts_with("127.") &&
            // Digits alone: anybody may own the name 127.0.0.1.example.
            bare.find_first_not_of("0123456789.") == std::string_view::npos);
}

Access::Access(std::string address, std::optional<std::string> token)
    : address_(std::move(address)), token_(std::move(token))
{
}

bool Access::names_us(std::string_view host) const
{
    const std::string_view name = host_name(host);
    return is_loopback(name) || same_text(without_brackets(name), without_brackets(address_));
}

bool Access::may_enter(const http::Request& request) const
{
    return !token_ || equal_in_constant_time(presented_token(request), *token_) ||
           sessions_.knows(session_of(request.header("Cookie")), std::chrono::steady_clock::now());
}

std::optional<std::string> Access::open_session(std::string_view token)
{
    if (!token_ || !equal_in_constant_time(token, *token_)) {
        return std::nullopt;
    }
    return sessions_.open(std::chrono::steady_clock::now());
}

std::optional<http::Response> Access::refuse(const http::Request& request, Needs needs) const
{
    // A request without a host comes from no browser.
    const std::string_view host = request.header("Host");
    if (is_loopback(address_) && !host.empty() && !names_us(host)) {
        return problem(403, "This server does not answer under that host name; ask for it by "
                            "localhost or its address.");
    }
    if (needs == Needs::token && !may_enter(request)) {
        return problem(401, "A token is needed: send Authorization: Bearer and http.auth.token.",
                       {{"WWW-Authenticate", "Bearer realm=\"sagabox\""}});
    }
    if (request.method == "GET") {
        return std::nullopt;
    }
    if (comes_from_elsewhere(request)) {
        return problem(403, "A page of another origin may not do this.");
    }
    // A form can send every type but this one without being asked about first.
    const std::string_view type = request.header("Content-Type");
    if ((!request.body.empty() || !type.empty()) && !is_json(type)) {
        return problem(415, "The body must be JSON: send Content-Type: application/json.");
    }
    return std::nullopt;
}

} // namespace sagabox::api
