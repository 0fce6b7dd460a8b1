#include "transport/http_syntax.hpp"

#include <algorithm>
#include <array>

namespace sagabox::transport {

namespace {

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_token_character(char c)
{
    const char folded = lower(c);
    return (folded >= 'a' && folded <= 'z') || (c >= '0' && c <= '9') ||
           (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

bool is_token(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character);
}

bool breaks_a_line(char c)
{
    return c == '\r' || c == '\n' || c == '\0';
}

bool is_space_or_control(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte == 0x7f;
}

} // namespace

std::string_view why_refused(const HttpRequest& request)
{
    if (!is_token(request.method)) {
        return "the method is not an HTTP token";
    }
    if (request.url.empty() ||
        std::any_of(request.url.begin(), request.url.end(), is_space_or_control)) {
        return "the URL is empty or holds a space or control character";
    }
    for (const auto& [name, value] : request.headers) {
        if (!is_token(name)) {
            return "the name of a header is not an HTTP token";
        }
        if (std::any_of(value.begin(), value.end(), breaks_a_line)) {
            return "the value of a header holds a line break or NUL";
        }
    }
    return {};
}

bool is_framing_header(std::string_view name)
{
    static constexpr std::array<std::string_view, 9> framing{
        "content-length", "transfer-encoding", "expect", "connection",
        "keep-alive",     "upgrade",           "te",     "proxy-connection",
        "trailer"};
    return std::any_of(framing.begin(), framing.end(),
                       [name](std::string_view one) { return same_header(one, name); });
}

bool same_header(std::string_view one, std::string_view other)
{
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [](char a, char b) { return lower(a) == lower(b); });
}

} // namespace sagabox::transport
