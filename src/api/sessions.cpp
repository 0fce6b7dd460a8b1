#include "api/sessions.hpp"

#include <algorithm>
#include <array>

#include <sys/random.h>

namespace sagabox::api {

std::optional<std::string> Sessions::open(Instant now)
{
    std::array<unsigned char, 32> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        return std::nullopt;
    }
    std::string name;
    for (const unsigned char byte : bytes) {
        constexpr std::string_view digits = "0123456789abcdef";
        name += digits[byte >> 4U];
        name += digits[byte & 15U];
    }
    const std::lock_guard lock(mutex_);
    std::erase_if(ends_, [now](const auto& session) { return session.second <= now; });
    if (ends_.size() >= most) {
        ends_.erase(std::min_element(ends_.begin(), ends_.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        }));
    }
    ends_.emplace(name, now + lifetime);
    return name;
}

bool Sessions::knows(std::string_view name, Instant now) const
{
    const std::lock_guard lock(mutex_);
    const auto found = ends_.find(name);
    return found != ends_.end() && found->second > now;
}

std::string_view session_of(std::string_view cookie_header)
{
    while (!cookie_header.empty()) {
        const std::size_t end = cookie_header.find(';');
        std::string_view pair = cookie_header.substr(0, end);
        pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
        if (pair.starts_with(session_cookie) &&
            pair.substr(session_cookie.size()).starts_with('=')) {
            return pair.substr(session_cookie.size() + 1);
        }
        cookie_header.remove_prefix(end == std::string_view::npos ? cookie_header.size() : end + 1);
    }
    return {};
}

} // namespace sagabox::api
