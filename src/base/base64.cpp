#include "base/base64.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace sagabox {

namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

} // namespace

void append_base64(std::string& out, std::string_view bytes)
{
    const auto byte = [&](std::size_t i) {
        return i < bytes.size() ? std::uint32_t{static_cast<unsigned char>(bytes[i])} : 0U;
    };
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::uint32_t three = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
        out += alphabet[three >> 18U];
        out += alphabet[three >> 12U & 63U];
        out += i + 1 < bytes.size() ? alphabet[three >> 6U & 63U] : '=';
        out += i + 2 < bytes.size() ? alphabet[three & 63U] : '=';
    }
}

std::optional<std::string> decode_base64(std::string_view text)
{
    std::string bytes;
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : text.substr(0, text.find('='))) {
        const std::size_t value = alphabet.find(c);
        if (value == std::string_view::npos) {
            return std::nullopt;
        }
        bits = bits << 6U | static_cast<std::uint32_t>(value);
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes += static_cast<char>(bits >> static_cast<unsigned>(held) & 0xFFU);
        }
    }
    // Padding, stray bits and lengths that no encoder writes show in what an encoder makes of it.
    std::string again;
    append_base64(again, bytes);
    return again == text ? std::optional(std::move(bytes)) : std::nullopt;
}

} // namespace sagabox
