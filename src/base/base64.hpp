#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sagabox {

/// Appends `bytes` in base64 (RFC 4648 section 4), padded, on one line.
void append_base64(std::string& out, std::string_view bytes);

/// The bytes behind base64; nothing where `text` is not padded base64 in its only form.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

} // namespace sagabox
