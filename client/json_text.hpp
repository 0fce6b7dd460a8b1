#pragma once

#include <string>
#include <string_view>

namespace sagabox::client {

/// Appends `text` as a JSON string, quotes included. Throws `std::invalid_argument` for U+0000,
/// which PostgreSQL's jsonb cannot hold.
void append_quoted(std::string& out, std::string_view text);

/// True for exactly one JSON number, without white space.
[[nodiscard]] bool is_number(std::string_view text);

/// True for one JSON document of at most 512 levels, by RFC 8259.
[[nodiscard]] bool is_document(std::string_view text);

/// True where an object could be read as an envelope: all its names are an envelope's. A name
/// written with escapes counts as one. Requires a document.
[[nodiscard]] bool may_be_envelope(std::string_view document);

} // namespace sagabox::client
