#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace sagabox::api {

/// Browsers that have given the token, each known by a random name in a cookie.
///
/// The token itself is not in the cookie: a browser sends a cookie to every port of a host, so
/// other services there would learn it. In memory only: after a restart, people give the token
/// again. Thread-safe.
class Sessions {
public:
    static constexpr std::chrono::hours lifetime{12};
    static constexpr std::size_t most = 1'000; ///< beyond it the oldest ends

    /// A new session's name; nothing where the system has no randomness to give.
    [[nodiscard]] std::optional<std::string> open(Instant now);

    [[nodiscard]] bool knows(std::string_view name, Instant now) const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, Instant, std::less<>> ends_;
};

inline constexpr std::string_view session_cookie = "sagabox_session";

/// The value of our cookie in a `Cookie` header; empty where there is none.
[[nodiscard]] std::string_view session_of(std::string_view cookie_header);

} // namespace sagabox::api
