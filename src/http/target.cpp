#include "http/target.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace sagabox::http {
namespace {

enum class Plus { literal, space };

int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return -1;
}

std::optional<std::string> decode(std::string_view raw, Plus plus)
{
    std::string out;
    out.reserve(raw.size());
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] == '+' && plus == Plus::space) {
            out.push_back(' ');
        } else if (raw[i] != '%') {
            out.push_back(raw[i]);
        } else {
            const int high = i + 2 < raw.size() ? hex_digit(raw[i + 1]) : -1;
            const int low = i + 2 < raw.size() ? hex_digit(raw[i + 2]) : -1;
            if (high < 0 || low < 0 || (high == 0 && low == 0)) {
                return std::nullopt;
            }
            out.push_back(static_cast<char>(high * 16 + low));
            i += 2;
        }
    }
    if (!is_utf8(out)) {
        return std::nullopt;
    }
    return out;
}

std::string_view without_authority(std::string_view raw)
{
    const std::size_t scheme_end = raw.find("://");
    if (raw.starts_with('/') || scheme_end == std::string_view::npos) {
        return raw;
    }
    const std::size_t path = raw.find_first_of("/?", scheme_end + 3);
    return path == std::string_view::npos ? std::string_view("/") : raw.substr(path);
}

} // namespace

bool is_utf8(std::string_view bytes)
{
    for (std::size_t i = 0; i < bytes.size();) {
        const auto lead = static_cast<unsigned char>(bytes[i]);
        const std::size_t length = lead < 0x80                   ? 1
                                   : lead >= 0xC2 && lead < 0xE0 ? 2
                                   : lead >= 0xE0 && lead < 0xF0 ? 3
                                   : lead >= 0xF0 && lead < 0xF5 ? 4
                                                                 : 0;
        if (length == 0 || i + length > bytes.size()) {
            return false;
        }
        std::uint32_t point = length == 1 ? lead : lead & (0xFFU >> (length + 1));
        for (std::size_t k = 1; k < length; ++k) {
            const auto next = static_cast<unsigned char>(bytes[i + k]);
            if ((next & 0xC0U) != 0x80U) {
                return false;
            }
            point = (point << 6U) | (next & 0x3FU);
        }
        constexpr std::array<std::uint32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
        if (point < smallest[length] || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) {
            return false;
        }
        i += length;
    }
    return true;
}

std::optional<Target> parse_target(std::string_view raw)
{
    if (std::any_of(raw.begin(), raw.end(),
                    [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; })) {
        return std::nullopt;
    }
    raw = without_authority(raw);
    raw = raw.substr(0, raw.find('#'));
    const std::size_t mark = raw.find('?');

    const std::optional<std::string> path = decode(raw.substr(0, mark), Plus::literal);
    if (!path || !path->starts_with('/')) {
        return std::nullopt;
    }
    Target target{.path = *path, .query = {}};
    std::string_view rest = mark == std::string_view::npos ? "" : raw.substr(mark + 1);
    while (!rest.empty()) {
        const std::string_view pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        if (pair.empty()) {
            continue;
        }
        const std::size_t equals = pair.find('=');
        const auto name = decode(pair.substr(0, equals), Plus::space);
        const auto value = equals == std::string_view::npos
                               ? std::optional<std::string>("")
                               : decode(pair.substr(equals + 1), Plus::space);
        if (!name || !value) {
            return std::nullopt;
        }
        target.query.emplace_back(*name, *value);
    }
    return target;
}

} // namespace sagabox::http
