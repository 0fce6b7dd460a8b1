#pragma once

#include "base/fault.hpp"
#include "core/plan.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace sagabox::config {

// Each reads one scalar as it stands in the file. A fault's text says what is wrong and the cure.

/// `2 seconds`, `500 ms`, `5s`, `0.5 h`; a bare number is milliseconds.
[[nodiscard]] Result<std::chrono::milliseconds> parse_duration(std::string_view text);

/// `10 MiB`, `25MB`, `512 kB`, `1K` (powers of 1,024, as HOCON has it); a bare number is bytes.
[[nodiscard]] Result<std::int64_t> parse_bytes(std::string_view text);

[[nodiscard]] Result<std::int64_t> parse_whole(std::string_view text);
[[nodiscard]] Result<double> parse_real(std::string_view text);

/// `true`, `yes`, `on`, and their opposites.
[[nodiscard]] Result<bool> parse_boolean(std::string_view text);

/// A method in upper case.
[[nodiscard]] Result<std::string> parse_method(std::string_view text);

/// `409`, `5xx`.
[[nodiscard]] Result<core::StatusRange> parse_status(std::string_view text);

[[nodiscard]] Result<core::Operator> parse_operator(std::string_view text);
[[nodiscard]] Result<core::RetryAfterFormat> parse_retry_after_format(std::string_view text);

/// Whether a host name or address is this machine's own.
[[nodiscard]] bool is_loopback(const std::string& address);

/// Whether the text is a token of RFC 9110: what a header's name may be.
[[nodiscard]] bool is_token(std::string_view text);

/// Whether the text holds a control character (a tab is none).
[[nodiscard]] bool has_control_character(std::string_view text);

} // namespace sagabox::config
