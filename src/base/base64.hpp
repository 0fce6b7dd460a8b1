#pragma once

#include <string>
#include <string_view>

namespace sagabox {

/// Appends `bytes` in base64 (RFC 4648 section 4), padded, on one line.
void append_base64(std::string& out, std::string_view bytes);

} // namespace sagabox
