#include "core/template.hpp"

#include "core/percent.hpp"
#include "core/placeholder.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace sagabox::core {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdefABCDEF";
constexpr std::string_view digits = "0123456789";
constexpr std::string_view host_characters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";

/// Where the host part of a URL begins, after `http://` or `https://`; npos for any other scheme.
std::size_t after_scheme(std::string_view url)
{
    for (const std::string_view scheme : {"http://", "https://"}) {
        const std::string_view head = url.substr(0, scheme.size());
        if (std::equal(head.begin(), head.end(), scheme.begin(), scheme.end(), [](char a, char b) {
                return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
            })) {
            return scheme.size();
        }
    }
    return std::string_view::npos;
}

std::size_t end_of_authority(std::string_view url, std::size_t begin)
{
    return std::min(url.find_first_of("/?#", begin), url.size());
}

std::optional<std::string> wrong_with_port(std::string_view port)
{
    const bool number = !port.empty() && port.size() <= 5 &&
                        port.find_first_not_of(digits) == std::string_view::npos;
    const int value = number ? std::stoi(std::string(port)) : 0;
    if (value < 1 || value > 65'535) {
        return "the port is no number from 1 to 65535";
    }
    return std::nullopt;
}

std::optional<std::string> wrong_with_authority(std::string_view authority)
{
    if (authority.find_first_of("{}") != std::string_view::npos) {
        return "a placeholder may stand in path, query and fragment only";
    }
    for (const char c : authority) {
        if (static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7f) {
            return "the host holds a character that must be encoded (IDN: as an A-label)";
        }
    }
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
        authority.remove_prefix(at + 1);
    }

    std::string_view host = authority;
    std::string_view rest;
    if (authority.starts_with('[')) {
        const std::size_t close = authority.find(']');
        if (close == std::string_view::npos) {
            return "the IPv6 address lacks its closing bracket";
        }
        host = authority.substr(1, close - 1);
        rest = authority.substr(close + 1);
        if (host.find_first_not_of("0123456789abcdefABCDEF:.") != std::string_view::npos) {
            return "the host is no IPv6 address";
        }
    } else {
        const std::size_t colon = std::min(authority.find(':'), authority.size());
        host = authority.substr(0, colon);
        rest = authority.substr(colon);
        if (host.find_first_not_of(host_characters) != std::string_view::npos) {
            return "the host holds a character that no host name has";
        }
    }
    if (host.empty()) {
        return "the host is missing";
    }
    if (rest.empty()) {
        return std::nullopt;
    }
    return rest.front() == ':' ? wrong_with_port(rest.substr(1))
                               : std::optional<std::string>("the host is followed by no port");
}

/// Why the character at `at`, outside a placeholder, can't stand in a URL.
std::optional<std::string> wrong_with_character(std::string_view text, std::size_t at)
{
    const char c = text[at];
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f || c == '\\' || c == '"' || c == '<' ||
        c == '>') {
        return fmt::format("the character at position {} must be percent-encoded", at + 1);
    }
    if (c == '{' || c == '}') {
        return fmt::format("the brace at position {} belongs to no placeholder", at + 1);
    }
    // An escape cut short would be completed by a placeholder's value: `%2` and `F` make a slash.
    if (c == '%' && (text.size() - at < 3 || text.substr(at + 1, 2).find_first_not_of(hex_digits) !=
                                                 std::string_view::npos)) {
        return fmt::format("the percent sign at position {} begins no escape", at + 1);
    }
    return std::nullopt;
}

/// Whether servers take this path segment for `.` or `..`, also when its dots are escaped.
bool is_dots(std::string_view segment)
{
    std::string plain;
    for (std::size_t i = 0; i < segment.size() && plain.size() < 3; ++i) {
        if (segment[i] == '%' && (segment.substr(i, 3) == "%2e" || segment.substr(i, 3) == "%2E")) {
            plain += '.';
            i += 2;
        } else {
            plain += segment[i];
        }
    }
    return plain == "." || plain == "..";
}

/// Whether the path segment around `at` is dots only; false outside the path.
bool in_dot_segment(std::string_view url, std::size_t at)
{
    const std::size_t path = end_of_authority(url, after_scheme(url));
    const std::size_t path_end = std::min(url.find_first_of("?#", path), url.size());
    if (at >= path_end) {
        return false;
    }
    const std::size_t begin = url.rfind('/', at) + 1;
    const std::size_t end = std::min(url.find('/', at), path_end);
    return is_dots(url.substr(begin, end - begin));
}

std::string masked_query(std::string_view query)
{
    std::string out;
    while (true) {
        const std::size_t end = std::min(query.find('&'), query.size());
        const std::string_view entry = query.substr(0, end);
        const std::size_t equals = entry.find('=');
        if (equals != std::string_view::npos) {
            out += entry.substr(0, equals + 1);
        }
        if (!entry.empty()) {
            // A bare word may itself be the token.
            out += "***";
        }
        if (end == query.size()) {
            return out;
        }
        out += '&';
        query.remove_prefix(end + 1);
    }
}

} // namespace

Result<UrlTemplate> UrlTemplate::parse(std::string_view text)
{
    const std::size_t authority = after_scheme(text);
    if (authority == std::string_view::npos) {
        return fail(Fault::Kind::bad_input, "a URL must begin with http:// or https://");
    }
    const std::size_t path = end_of_authority(text, authority);
    if (auto wrong = wrong_with_authority(text.substr(authority, path - authority))) {
        return fail(Fault::Kind::bad_input, std::move(*wrong));
    }

    UrlTemplate url;
    url.text_ = text;
    std::string literal(text.substr(0, path));
    for (std::size_t i = path; i < text.size();) {
        if (text[i] == '{') {
            if (const auto name = placeholder_at(text, i)) {
                url.names_.emplace_back(*name);
                url.literals_.push_back(std::move(literal));
                literal.clear();
                i += name->size() + 2;
                continue;
            }
        }
        if (auto wrong = wrong_with_character(text, i)) {
            return fail(Fault::Kind::bad_input, std::move(*wrong));
        }
        literal += percent_encode_unprintable(text.substr(i, 1));
        ++i;
    }
    url.literals_.push_back(std::move(literal));
    return url;
}

Result<std::string> UrlTemplate::fill(const Lookup& lookup) const
{
    if (literals_.empty()) {
        return fail(Fault::Kind::bad_input, "the URL is empty");
    }
    std::string url = literals_.front();
    std::vector<std::size_t> inserted_at;
    for (std::size_t i = 0; i < names_.size(); ++i) {
        const json::Value* value = lookup(names_[i]);
        if (const auto why = misfit(value, Place::url)) {
            return fail(Fault::Kind::bad_input, fmt::format("{} {}", names_[i], *why));
        }
        inserted_at.push_back(url.size());
        url += percent_encode(scalar_text(*value));
        url += literals_[i + 1];
    }

    // Only now is a segment whole: two placeholders side by side may each give one dot.
    for (std::size_t i = 0; i < names_.size(); ++i) {
        if (in_dot_segment(url, inserted_at[i])) {
            return fail(Fault::Kind::bad_input,
                        fmt::format("{} would make a path segment of dots only", names_[i]));
        }
    }
    return url;
}

std::string UrlTemplate::without_secrets(std::string_view url)
{
    std::string out;
    if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos) {
        const std::size_t begin = scheme + 3;
        const std::size_t end = end_of_authority(url, begin);
        const std::string_view authority = url.substr(begin, end - begin);
        const std::size_t at = authority.rfind('@');
        out += url.substr(0, begin);
        out += at == std::string_view::npos ? authority : authority.substr(at + 1);
        url.remove_prefix(end);
    }

    const std::size_t query = std::min(url.find_first_of("?#"), url.size());
    out += url.substr(0, query);
    url.remove_prefix(query);
    const std::size_t fragment = std::min(url.find('#'), url.size());
    if (url.starts_with('?')) {
        out += '?';
        out += masked_query(url.substr(1, fragment - 1));
    }
    if (fragment < url.size()) {
        out += "#***";
    }
    return out;
}

} // namespace sagabox::core
