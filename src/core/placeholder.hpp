#pragma once

#include "json/value.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sagabox::core {

/// The name of the placeholder `{name}` whose brace opens at `text[at]`; nothing where the braces
/// hold anything but an identifier (`[A-Za-z_][A-Za-z0-9_.-]*`).
[[nodiscard]] std::optional<std::string_view> placeholder_at(std::string_view text, std::size_t at);

[[nodiscard]] bool is_placeholder_name(std::string_view name);

/// Where a value is to be inserted.
enum class Place : std::uint8_t {
    url,       ///< a scalar without control characters
    string,    ///< inside a JSON string: a scalar
    json_value ///< outside one: anything but null
};

/// Why a value can't be inserted, in words that follow its name (`is null`); nothing where it can.
/// Missing (a null pointer), null and the empty string fit nowhere.
[[nodiscard]] std::optional<std::string_view> misfit(const json::Value* value, Place place);

/// A scalar as text: a string itself, a number by its digits. Requires a string, a number or a
/// boolean.
[[nodiscard]] std::string scalar_text(const json::Value& value);

} // namespace sagabox::core
