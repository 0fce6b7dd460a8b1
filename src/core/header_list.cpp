#include "core/header_list.hpp"

#include "core/percent.hpp"
#include "json/value.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sagabox::core {
namespace {

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_token(std::string_view name)
{
    return !name.empty() &&
           name.find_first_not_of("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
}

/// The key is what makes a repeated call harmless; the framing is the transport's own.
bool is_protected(std::string_view name)
{
    constexpr std::string_view names[] = {"Idempotency-Key",
                                          "Content-Length",
                                          "Transfer-Encoding",
                                          "Host",
                                          "Connection",
                                          "Expect",
                                          "TE",
                                          "Trailer",
                                          "Upgrade"};
    return std::any_of(std::begin(names), std::end(names),
                       [&](std::string_view ours) { return same_header_name(ours, name); });
}

} // namespace

bool same_header_name(std::string_view a, std::string_view b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

void HeaderList::put(std::string_view name, std::string_view value)
{
    headers_.emplace_back(name, percent_encode_unprintable(value));
}

Result<void> HeaderList::override_with(std::string_view name, std::string_view value)
{
    if (!is_token(name)) {
        return fail(Fault::Kind::bad_input,
                    fmt::format("header {}: this is no header name", json::quote(name)));
    }
    if (value.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos) {
        return fail(Fault::Kind::bad_input,
                    fmt::format("header {}: its value holds CR, LF or NUL", name));
    }
    if (is_protected(name)) {
        return {};
    }
    const auto same = std::find_if(headers_.begin(), headers_.end(), [&](const auto& header) {
        return same_header_name(header.first, name);
    });
    if (same != headers_.end()) {
        *same = {std::string(name), std::string(value)};
    } else {
        headers_.emplace_back(name, value);
    }
    return {};
}

Result<void> HeaderList::override_with(const Headers& headers)
{
    for (const auto& [name, value] : headers) {
        if (auto set = override_with(name, value); !set) {
            return set;
        }
    }
    return {};
}

} // namespace sagabox::core
