#include "json/unicode.hpp"

namespace sagabox::json {

namespace {

unsigned byte_at(std::string_view text, std::size_t at)
{
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

bool is_surrogate(char32_t c)
{
    return c >= 0xD800 && c <= 0xDFFF;
}

std::optional<char32_t> read_four_hex_digits(std::string_view text, std::size_t at)
{
    char32_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
        const unsigned c = byte_at(text, i);
        unsigned digit = 0;
        if (c >= '0' && c <= '9') {
            digit = c - '0';
        } else if (c >= 'a' && c <= 'f') {
            digit = c - 'a' + 10;
        } else if (c >= 'A' && c <= 'F') {
            digit = c - 'A' + 10;
        } else {
            return std::nullopt;
        }
        value = value * 16 + digit;
    }
    return value;
}

} // namespace

std::optional<CodePoint> decode_utf8(std::string_view text, std::size_t at)
{
    if (at >= text.size()) {
        return std::nullopt;
    }
    const unsigned lead = byte_at(text, at);
    if (lead < 0x80) {
        return CodePoint{lead, 1};
    }

    std::size_t length = 0;
    char32_t value = 0;
    char32_t smallest = 0;
    if (lead >= 0xC2 && lead <= 0xDF) {
        length = 2;
        value = lead & 0x1F;
        smallest = 0x80;
    } else if ((lead & 0xF0) == 0xE0) {
        length = 3;
        value = lead & 0x0F;
        smallest = 0x800;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        length = 4;
        value = lead & 0x07;
        smallest = 0x10000;
    } else {
        return std::nullopt;
    }
    for (std::size_t i = 1; i < length; ++i) {
        const unsigned c = byte_at(text, at + i);
        if ((c & 0xC0) != 0x80) {
            return std::nullopt;
        }
        value = (value << 6) | (c & 0x3F);
    }
    if (value < smallest || value > 0x10FFFF || is_surrogate(value)) {
        return std::nullopt;
    }
    return CodePoint{value, length};
}

void append_utf8(std::string& out, char32_t code_point)
{
    const auto tail = [&out, code_point](unsigned shift) {
        out += static_cast<char>(0x80 | ((code_point >> shift) & 0x3F));
    };
    if (code_point < 0x80) {
        out += static_cast<char>(code_point);
    } else if (code_point < 0x800) {
        out += static_cast<char>(0xC0 | (code_point >> 6));
        tail(0);
    } else if (code_point < 0x10000) {
        out += static_cast<char>(0xE0 | (code_point >> 12));
        tail(6);
        tail(0);
    } else {
        out += static_cast<char>(0xF0 | (code_point >> 18));
        tail(12);
        tail(6);
        tail(0);
    }
}

std::optional<char32_t> read_unicode_escape(std::string_view text, std::size_t& at)
{
    const std::optional<char32_t> first = read_four_hex_digits(text, at);
    if (!first) {
        return std::nullopt;
    }
    if (!is_surrogate(*first)) {
        at += 4;
        return first;
    }
    if (*first >= 0xDC00 || byte_at(text, at + 4) != '\\' || byte_at(text, at + 5) != 'u') {
        return std::nullopt;
    }
    const std::optional<char32_t> second = read_four_hex_digits(text, at + 6);
    if (!second || *second < 0xDC00 || *second > 0xDFFF) {
        return std::nullopt;
    }
    at += 10;
    return 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00);
}

} // namespace sagabox::json
