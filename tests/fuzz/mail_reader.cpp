#include "tests/fuzz/mail_reader.hpp"

#include <cstdint>

namespace sagabox::fuzz {

namespace {

constexpr std::string_view begin_mark = "=?UTF-8?B?";
constexpr std::string_view end_mark = "?=";

std::string from_base64(std::string_view text)
{
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const std::size_t digit = digits.find(c);
        if (digit == std::string_view::npos) {
            break;
        }
        bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
        count += 6;
        if (count >= 8) {
            count -= 8;
            out += static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xFFU);
        }
    }
    return out;
}

} // namespace

std::optional<std::string> read_header(const std::vector<std::string>& lines, std::string_view name)
{
    std::optional<std::string> value;
    for (const std::string& line : lines) {
        if (value) {
            if (!line.starts_with(' ') && !line.starts_with('\t')) {
                break;
            }
            *value += line;
        } else if (line.starts_with(name) && line.substr(name.size()).starts_with(':')) {
            value = line.substr(name.size() + 1);
        }
    }
    if (value && value->starts_with(' ')) {
        value->erase(0, 1);
    }
    return value;
}

std::string decoded(std::string_view value)
{
    std::string out;
    bool after_word = false;
    while (!value.empty()) {
        const std::size_t end = value.starts_with(begin_mark)
                                    ? value.find(end_mark, begin_mark.size())
                                    : std::string_view::npos;
        if (end != std::string_view::npos) {
            out += from_base64(value.substr(begin_mark.size(), end - begin_mark.size()));
            value.remove_prefix(end + end_mark.size());
            after_word = true;
        } else if (after_word && value.substr(1).starts_with(begin_mark) && value.front() == ' ') {
            value.remove_prefix(1);
        } else {
            out += value.front();
            value.remove_prefix(1);
            after_word = false;
        }
    }
    return out;
}

} // namespace sagabox::fuzz
