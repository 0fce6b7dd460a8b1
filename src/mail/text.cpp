#include "mail/text.hpp"

#include <algorithm>

namespace sagabox::mail {

bool is_ascii(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return (c & '\x80') == 0; });
}

bool is_printable_ascii(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

bool breaks_lines(std::string_view text)
{
    return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

std::string_view whole_characters(std::string_view text, std::size_t bytes)
{
    const auto continues = [&](std::size_t i) {
        return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
    };
    std::size_t end = std::min(bytes, text.size());
    while (end > 0 && continues(end)) {
        --end;
    }
    if (end == 0 && !text.empty()) {
        end = 1;
        while (continues(end)) {
            ++end;
        }
    }
    return text.substr(0, end);
}

} // namespace sagabox::mail
