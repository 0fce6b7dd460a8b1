#pragma once

#include <string>
#include <string_view>

namespace sagabox::core {

/// `text` with everything but RFC 3986's unreserved characters percent-encoded: fit for one path
/// segment or one name or value of a query, and never more than that.
[[nodiscard]] std::string percent_encode(std::string_view text);

/// `text` with only control characters and bytes beyond ASCII percent-encoded: fit for a header.
[[nodiscard]] std::string percent_encode_unprintable(std::string_view text);

} // namespace sagabox::core
