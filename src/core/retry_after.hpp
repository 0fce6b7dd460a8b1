#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "json/path.hpp"

namespace sagabox::core {

enum class RetryAfterFormat : std::uint8_t {
    automatic, ///< `auto`: a delay, an epoch in s or ms, an HTTP date or ISO 8601, told apart
    seconds,
    milliseconds,
    unix_time,
    httpdate,
    iso8601,
};

/// Where a destination says how long to wait, and how (contract section 4, `retryAfter`).
struct RetryAfterRule {
    std::string header_name = "Retry-After";
    RetryAfterFormat format = RetryAfterFormat::automatic;
    bool from_body = false;
    std::optional<json::Path> json_path;          ///< used with `from_body`
    std::optional<std::chrono::seconds> fallback; ///< when a 429 or 503 names no usable delay
};

/// How long `text` asks us to wait from `now`, or nothing where it says nothing usable (a sign, a
/// fraction, words, two values): the caller's own backoff then applies. Never negative; a moment
/// that has passed is a wait of zero; more than `cap` is cut to `cap`.
///
/// Accepts the forms of RFC 9110 sections 5.6.7 and 10.2.3 (all three date forms, read as UTC
/// whatever the locale and TZ), epochs in seconds and milliseconds, and ISO 8601 with an offset.
[[nodiscard]] std::optional<std::chrono::milliseconds>
parse_retry_after(std::string_view text, RetryAfterFormat format, DbTime now,
                  std::chrono::milliseconds cap);

} // namespace sagabox::core
