#include "core/percent.hpp"

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

std::string encode(std::string_view text, bool (*kept)(unsigned char))
{
    static constexpr char hex[] = "0123456789ABCDEF";
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
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
    return encode(text, unreserved);
}

std::string percent_encode_unprintable(std::string_view text)
{
    return encode(text, printable);
}

} // namespace sagabox::core
