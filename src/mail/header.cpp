#include "mail/header.hpp"

#include "base/base64.hpp"
#include "mail/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sagabox::mail {

namespace {

constexpr std::size_t line_length = 78;
constexpr std::size_t longest_plain_word = 60;
/// Make a word of 56 characters, which fits beside the longest name of a header into the 76 that
/// RFC 2047 allows a line.
constexpr std::size_t encoded_word_bytes = 33;

std::vector<std::string> split(std::string_view text)
{
    std::vector<std::string> words;
    for (;;) {
        const std::size_t blank = text.find(' ');
        words.emplace_back(text.substr(0, blank));
        if (blank == std::string_view::npos) {
            return words;
        }
        text.remove_prefix(blank + 1);
    }
}

/// Whether a reader gets back just this text, wherever a line is broken between its words.
bool stays_itself(std::string_view text)
{
    const std::vector<std::string> words = split(text);
    return is_printable_ascii(text) && text.find("=?") == std::string_view::npos &&
           std::all_of(words.begin(), words.end(), [](const std::string& word) {
               return !word.empty() && word.size() <= longest_plain_word;
           });
}

bool is_atom_text(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == ' ' ||
           std::string_view("!#$%&'*+-/=?^_`{|}~").find(c) != std::string_view::npos;
}

std::string quoted(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        out.append(c == '"' || c == '\\' ? "\\" : "").append(1, c);
    }
    return out + '"';
}

std::vector<std::string> name_words(std::string_view name)
{
    if (name.empty()) {
        return {};
    }
    if (stays_itself(name) && std::all_of(name.begin(), name.end(), is_atom_text)) {
        return split(name);
    }
    const bool plain = is_printable_ascii(name) && name.find("=?") == std::string_view::npos;
    if (plain && name.size() <= longest_plain_word) {
        return {quoted(name)};
    }
    return encoded_words(name);
}

} // namespace

Lines fold(std::string_view name, const std::vector<std::string>& words)
{
    Lines lines{fmt::format("{}:", name)};
    for (const std::string& word : words) {
        // A first line without a word is one that some readers take for the header's end.
        const bool first = lines.size() == 1 && lines.back().size() == name.size() + 1;
        if (!first && lines.back().size() + 1 + word.size() > line_length) {
            lines.emplace_back();
        }
        lines.back().append(" ").append(word);
    }
    return lines;
}

std::vector<std::string> encoded_words(std::string_view text)
{
    std::vector<std::string> words;
    while (!text.empty()) {
        const std::string_view piece = whole_characters(text, encoded_word_bytes);
        std::string word = "=?UTF-8?B?";
        append_base64(word, piece);
        words.push_back(word + "?=");
        text.remove_prefix(piece.size());
    }
    return words;
}

std::vector<std::string> text_words(std::string_view text)
{
    return stays_itself(text) ? split(text) : encoded_words(text);
}

std::vector<std::string> address_words(const std::vector<Address>& addresses)
{
    std::vector<std::string> words;
    for (const Address& address : addresses) {
        if (!words.empty()) {
            words.back() += ',';
        }
        std::vector<std::string> name = name_words(address.name);
        words.insert(words.end(), std::make_move_iterator(name.begin()),
                     std::make_move_iterator(name.end()));
        words.push_back(name.empty() ? address.bare : fmt::format("<{}>", address.bare));
    }
    return words;
}

} // namespace sagabox::mail
