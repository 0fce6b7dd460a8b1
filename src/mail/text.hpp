#pragma once

#include <cstddef>
#include <string_view>

namespace sagabox::mail {

[[nodiscard]] bool is_ascii(std::string_view text);

/// Only characters from the blank to the tilde.
[[nodiscard]] bool is_printable_ascii(std::string_view text);

/// What could begin a header of its own, or end the message early: CR, LF, NUL.
[[nodiscard]] bool breaks_lines(std::string_view text);

/// The first characters of `text` that fit into `bytes`: whole ones, and one at least.
[[nodiscard]] std::string_view whole_characters(std::string_view text, std::size_t bytes);

} // namespace sagabox::mail
