#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sagabox::http {

/// A request's target, taken apart and percent-decoded.
struct Target {
    std::string path;
    std::vector<std::pair<std::string, std::string>> query;
};

/// Reads an origin-form (`/a?b=c`) or absolute-form target. In the query `+` is a space.
///
/// Nothing for a target with a bad escape, raw white space or control characters, or whose decoded
/// text holds U+0000 or is not UTF-8: handlers pass such text on to a database that would refuse
/// it.
[[nodiscard]] std::optional<Target> parse_target(std::string_view raw);

/// True for well-formed UTF-8: no surrogates, no overlong forms, nothing above U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view bytes);

} // namespace sagabox::http
