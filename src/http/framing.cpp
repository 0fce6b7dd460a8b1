#include "http/framing.hpp"

#include <charconv>

#include <strings.h>

namespace sagabox::http {

bool same_name(std::string_view a, std::string_view b)
{
    return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::optional<Framing> read_framing(const Headers& headers)
{
    Framing framing;
    int lengths = 0;
    int encodings = 0;
    for (const auto& [name, value] : headers) {
        if (same_name(name, "Transfer-Encoding")) {
            ++encodings;
            if (!same_name(value, "chunked")) {
                return std::nullopt;
            }
        } else if (same_name(name, "Content-Length")) {
            ++lengths;
            std::uint64_t number = 0;
            const auto [end, error] =
                std::from_chars(value.data(), value.data() + value.size(), number);
            if (error != std::errc{} || end != value.data() + value.size()) {
                return std::nullopt;
            }
            framing.length = number;
        }
    }
    if (lengths + encodings > 1) {
        return std::nullopt;
    }
    return framing;
}

std::string_view Request::header(std::string_view name) const
{
    for (const auto& [key, value] : headers) {
        if (same_name(key, name)) {
            return value;
        }
    }
    return {};
}

std::string_view Request::query_value(std::string_view name) const
{
    for (const auto& [key, value] : query) {
        if (key == name) {
            return value;
        }
    }
    return {};
}

} // namespace sagabox::http
