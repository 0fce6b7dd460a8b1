#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace sagabox::core {

// Moments as text, always UTC, whatever the process's locale and TZ. Read as milliseconds since the
// epoch, since DbTime's microseconds are more than any peer means.

/// The three forms of RFC 9110 section 5.6.7. `now` places the two-digit year of the oldest but
/// one: never more than 50 years ahead. No zone but GMT is understood.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_http_date(std::string_view text,
                                                                       DbTime now);

/// ISO 8601 with date, time and offset: `2026-11-30T21:51:17.5+02:00`, seconds and colon optional.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_iso8601(std::string_view text);

/// RFC 3339 in UTC, to the microsecond, without trailing zeros of the fraction.
[[nodiscard]] std::string format_rfc3339(DbTime time);

} // namespace sagabox::core
