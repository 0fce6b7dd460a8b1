#include "core/percent.hpp"

#include <algorithm>

namespace sagabox::core {
namespace {

bool unreserved(unsigned char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

bool printable(unsigned char c)
{
    return c >= 0x20 && c < 0x7f;
}

template <typename Kept>
std::string encode(std::string_view text, Kept kept)
{
    static constexpr char hex[] = "0123456789ABCDEF";
    // Nearly every text needs no encoding, and each request has several.
    const auto* const first = std::find_if_not(
        text.begin(), text.end(), [kept](char c) { return kept(static_cast<unsigned char>(c)); });
    std::string out(text.begin(), first);
    if (first == text.end()) {
        return out;
    }
    out.reserve(text.size() + 2);
    for (const char c : text.substr(out.size())) {
        const auto byte = static_cast<unsigned char>(c);
        if (kept(byte)) {
            out += c;
        } else {
            out += '%';
            out += hex[byte >> 4U];
            out += hex[byte & 0xfU];
        }
    }
    return out;
}

} // namespace

std::string percent_encode(std::string_view text)
{
    return encode(text, [](unsigned char c) { return unreserved(c); });
}

std::string percent_encode_unprintable(std::string_view text)
{
    return encode(text, [](unsigned char c) { return printable(c); });
}

} // namespace sagabox::core
