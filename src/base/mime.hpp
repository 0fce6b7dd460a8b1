#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sagabox {

/// A node of a MIME message (RFC 2045): a leaf with bytes, or a multipart with parts.
struct MimePart {
    enum class Encoding : std::uint8_t {
        quoted_printable, ///< for text: a line feed, alone or after CR, is a line break
        base64,           ///< byte for byte
    };

    std::string content_type; ///< of a multipart without the boundary
    /// Further lines, such as a disposition. One that begins with a space continues the line before
    /// it, the first one the content type.
    std::vector<std::string> headers;
    std::string content; ///< of a leaf
    Encoding encoding = Encoding::base64;
    std::vector<MimePart> parts; ///< of a multipart; empty: a leaf
};

} // namespace sagabox
