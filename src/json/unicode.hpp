#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sagabox::json {

inline constexpr char32_t replacement_character = 0xFFFD;

struct CodePoint {
    char32_t value;
    std::size_t length; ///< bytes that it takes in UTF-8
};

/// The code point that starts at `at`; nothing at the end, and where the bytes are not UTF-8
/// (overlong forms, surrogates and values beyond U+10FFFF included).
[[nodiscard]] std::optional<CodePoint> decode_utf8(std::string_view text, std::size_t at);

/// Appends a code point that is no surrogate.
void append_utf8(std::string& out, char32_t code_point);

/// Reads what follows `\u`: four hexadecimal digits or, for a pair of surrogates, `XXXX\uXXXX`.
/// Moves `at` past it. Nothing for anything else, a lone surrogate included.
[[nodiscard]] std::optional<char32_t> read_unicode_escape(std::string_view text, std::size_t& at);

} // namespace sagabox::json
