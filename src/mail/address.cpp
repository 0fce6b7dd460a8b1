#include "mail/address.hpp"

#include "mail/domain.hpp"
#include "mail/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sagabox::mail {

namespace {

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string unquoted(std::string_view name)
{
    if (name.size() < 2 || name.front() != '"' || name.back() != '"') {
        return std::string(name);
    }
    std::string plain;
    for (std::size_t i = 1; i + 1 < name.size(); ++i) {
        if (name[i] == '\\' && i + 2 < name.size()) {
            ++i;
        }
        plain += name[i];
    }
    return plain;
}

/// Where the `<` stands that opens the address: not within the quotes of a name, which may hold one
/// too; nothing where the text is the address itself.
std::size_t find_opening(std::string_view text)
{
    if (!text.ends_with('>')) {
        return std::string_view::npos;
    }
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (quoted && text[i] == '\\') {
            ++i;
        } else if (text[i] == '"') {
            quoted = !quoted;
        } else if (!quoted && text[i] == '<') {
            return i;
        }
    }
    return std::string_view::npos;
}

/// Whether it can be read in one way only: a server that finds a blank, a `<` or a second `@`
/// outside of quotes may take another mailbox for the recipient than the one that stands here.
bool is_one_mailbox(std::string_view bare)
{
    bool quoted = false;
    std::size_t ats = 0;
    for (std::size_t i = 0; i < bare.size(); ++i) {
        const char c = bare[i];
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
            return false;
        }
        if (quoted && c == '\\') {
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && (c == ' ' || c == '<' || c == '>' || c == ',')) {
            return false;
        } else if (!quoted && c == '@') {
            ++ats;
        }
    }
    return !quoted && ats == 1;
}

} // namespace

Result<Address> read_address(std::string_view text)
{
    if (breaks_lines(text)) {
        return fail(Fault::Kind::bad_input, "an address holds a line break or NUL");
    }
    text = trimmed(text);
    Address address;
    std::string_view bare = text;
    if (const std::size_t opening = find_opening(text); opening != std::string_view::npos) {
        address.name = unquoted(trimmed(text.substr(0, opening)));
        bare = trimmed(text.substr(opening + 1, text.size() - opening - 2));
    }
    const std::size_t at = bare.rfind('@');
    if (at == std::string_view::npos || at == 0 || at + 1 == bare.size()) {
        return fail(Fault::Kind::bad_input, fmt::format("no address: {}", text));
    }
    const Result<std::string> domain = to_ascii_domain(bare.substr(at + 1));
    if (!domain) {
        return fail(domain.error());
    }
    address.bare = fmt::format("{}@{}", bare.substr(0, at), *domain);
    if (!is_one_mailbox(address.bare)) {
        return fail(Fault::Kind::bad_input, fmt::format("no single address: {}", text));
    }
    return address;
}

bool same_mailbox(std::string_view one, std::string_view other)
{
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [](char a, char b) { return lower(a) == lower(b); });
}

bool contains(const std::vector<std::string>& mailboxes, std::string_view bare)
{
    return std::any_of(mailboxes.begin(), mailboxes.end(),
                       [&](const std::string& one) { return same_mailbox(one, bare); });
}

} // namespace sagabox::mail
