#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace sagabox::json {

/// Reads a JSON number (RFC 8259 section 6) and gives it in the form of `Number::digits`; nothing
/// when `text` is no such number, or is outside the range of PostgreSQL's numeric.
[[nodiscard]] std::optional<std::string> canonical_number(std::string_view text);

/// Compares two numbers in canonical form, exactly, at any length: `10` equals `10.0`.
[[nodiscard]] std::strong_ordering compare_numbers(std::string_view a, std::string_view b);

} // namespace sagabox::json
