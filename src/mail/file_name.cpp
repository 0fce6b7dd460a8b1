#include "mail/file_name.hpp"

#include "mail/text.hpp"

#include <fmt/format.h>

namespace sagabox::mail {

namespace {

constexpr std::size_t longest_plain_name = 60;
constexpr std::size_t section_bytes = 16; ///< of UTF-8: 48 characters where all are encoded

bool is_plain(std::string_view name)
{
    return is_printable_ascii(name) && name.size() <= longest_plain_name &&
           name.find_first_of("\"\\") == std::string_view::npos &&
           name.find("=?") == std::string_view::npos;
}

/// Percent-encodes all but what RFC 2231 allows in any place (attribute-char), narrowly taken.
std::string percent_encoded(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                           (c >= 'a' && c <= 'z') || c == '.' || c == '-' || c == '_';
        if (plain) {
            out += c;
        } else {
            fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return out;
}

} // namespace

Lines name_lines(std::string_view file_name)
{
    if (is_plain(file_name)) {
        return {fmt::format(" name=\"{}\"", file_name)};
    }
    Lines lines;
    for (const std::string& word : encoded_words(file_name)) {
        lines.push_back(lines.empty() ? " name=\"" + word : " " + word);
    }
    lines.back() += '"';
    return lines;
}

Lines disposition_lines(std::string_view file_name)
{
    Lines lines{"Content-Disposition: attachment;"};
    if (is_plain(file_name)) {
        lines.push_back(fmt::format(" filename=\"{}\"", file_name));
        return lines;
    }
    if (file_name.size() <= section_bytes) {
        lines.push_back(fmt::format(" filename*=utf-8''{}", percent_encoded(file_name)));
        return lines;
    }
    for (std::size_t section = 0; !file_name.empty(); ++section) {
        const std::string_view piece = whole_characters(file_name, section_bytes);
        lines.push_back(fmt::format(" filename*{}*={}{}", section, section == 0 ? "utf-8''" : "",
                                    percent_encoded(piece)));
        file_name.remove_prefix(piece.size());
        lines.back() += file_name.empty() ? "" : ";";
    }
    return lines;
}

} // namespace sagabox::mail
