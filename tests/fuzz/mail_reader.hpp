#pragma once

// Reads headers back as a mail program does, with nothing of what wrote them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sagabox::fuzz {

/// The header's value, unfolded (RFC 5322 section 2.2.3), without the blank behind its name.
[[nodiscard]] std::optional<std::string> read_header(const std::vector<std::string>& lines,
                                                     std::string_view name);

/// `value` with its encoded words of UTF-8 in base64 decoded, the blanks between two of them
/// dropped (RFC 2047 section 6.2).
[[nodiscard]] std::string decoded(std::string_view value);

} // namespace sagabox::fuzz
