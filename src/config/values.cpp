#include "config/values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace sagabox::config {

namespace {

tl::unexpected<Fault> bad(std::string text)
{
    return fail(Fault::Kind::bad_input, std::move(text));
}

std::string_view trim(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
        text.remove_prefix(1);
    }
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
        text.remove_suffix(1);
    }
    return text;
}

std::optional<double> unit_in_milliseconds(std::string_view unit)
{
    constexpr std::array<std::pair<std::string_view, double>, 31> units = {{
        {"", 1},
        {"ns", 1e-6},
        {"nano", 1e-6},
        {"nanos", 1e-6},
        {"nanosecond", 1e-6},
        {"nanoseconds", 1e-6},
        {"us", 1e-3},
        {"micro", 1e-3},
        {"micros", 1e-3},
        {"microsecond", 1e-3},
        {"microseconds", 1e-3},
        {"ms", 1},
        {"milli", 1},
        {"millis", 1},
        {"millisecond", 1},
        {"milliseconds", 1},
        {"s", 1e3},
        {"second", 1e3},
        {"seconds", 1e3},
        {"m", 60e3},
        {"minute", 60e3},
        {"minutes", 60e3},
        {"h", 3600e3},
        {"hour", 3600e3},
        {"hours", 3600e3},
        {"d", 86400e3},
        {"day", 86400e3},
        {"days", 86400e3},
        {"w", 604800e3},
        {"week", 604800e3},
        {"weeks", 604800e3},
    }};
    const auto* found =
        std::ranges::find(units, unit, [](const auto& known) { return known.first; });
    if (found == units.end()) {
        return std::nullopt;
    }
    return found->second;
}

/// Plain decimal digits with at most one point: no sign, exponent, infinity or hexadecimal.
bool is_decimal(std::string_view text)
{
    return !text.empty() && text.front() != '.' && text.back() != '.' &&
           std::ranges::count(text, '.') <= 1 &&
           text.find_first_not_of("0123456789.") == std::string_view::npos;
}

} // namespace

Result<std::chrono::milliseconds> parse_duration(std::string_view text)
{
    const std::string_view trimmed = trim(text);
    if (trimmed.starts_with('-')) {
        return bad(fmt::format("\"{}\" is negative; a duration is not", text));
    }
    const std::size_t end = std::min(trimmed.find_first_not_of("0123456789."), trimmed.size());
    const std::string_view digits = trimmed.substr(0, end);
    const std::string_view unit = trim(trimmed.substr(end));
    const std::optional<double> factor = unit_in_milliseconds(unit);
    if (!is_decimal(digits) || !factor) {
        return bad(fmt::format(
            "\"{}\" is not a duration; write for example 500 ms, 2 seconds, 5 minutes, 7 days",
            text));
    }
    double number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const double product = number * *factor;
    if (!(product <= 1e15)) {
        return bad(fmt::format("\"{}\" is too long a time", text));
    }
    const double whole = std::round(product);
    if (std::abs(product - whole) > 1e-6) {
        return bad(fmt::format("\"{}\" is not a whole number of milliseconds", text));
    }
    return std::chrono::milliseconds(static_cast<std::int64_t>(whole));
}

Result<std::int64_t> parse_bytes(std::string_view text)
{
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 13> units = {{
        {"", 1},
        {"B", 1},
        {"byte", 1},
        {"bytes", 1},
        {"kB", 1'000},
        {"MB", 1'000'000},
        {"GB", 1'000'000'000},
        {"K", 1'024},
        {"KiB", 1'024},
        {"M", 1'048'576},
        {"MiB", 1'048'576},
        {"G", 1'073'741'824},
        {"GiB", 1'073'741'824},
    }};
    const std::string_view trimmed = trim(text);
    const std::size_t end = std::min(trimmed.find_first_not_of("0123456789"), trimmed.size());
    const std::string_view unit = trim(trimmed.substr(end));
    const auto* found =
        std::ranges::find(units, unit, [](const auto& known) { return known.first; });
    const Result<std::int64_t> number = parse_whole(trimmed.substr(0, end));
    if (found == units.end() || !number || *number > 1'000'000'000'000 / found->second) {
        return bad(fmt::format("\"{}\" is not a size; write for example 512 KiB or 10 MiB", text));
    }
    return *number * found->second;
}

Result<std::int64_t> parse_whole(std::string_view text)
{
    const std::string_view digits = trim(text);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc::result_out_of_range) {
        return bad(fmt::format("{} is too large a number", text));
    }
    if (error != std::errc{} || end != digits.data() + digits.size()) {
        return bad(fmt::format("\"{}\" is not a whole number", text));
    }
    return number;
}

Result<double> parse_real(std::string_view text)
{
    const std::string_view digits = trim(text);
    double number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(number)) {
        return bad(fmt::format("\"{}\" is not a number", text));
    }
    return number;
}

Result<bool> parse_boolean(std::string_view text)
{
    const std::string_view word = trim(text);
    if (word == "true" || word == "yes" || word == "on") {
        return true;
    }
    if (word == "false" || word == "no" || word == "off") {
        return false;
    }
    return bad(fmt::format("\"{}\" is neither true nor false", text));
}

Result<std::string> parse_method(std::string_view text)
{
    if (!is_token(text)) {
        return bad(
            fmt::format("\"{}\" is not an HTTP method; use for example POST, PUT or DELETE", text));
    }
    std::string upper(text);
    std::ranges::transform(upper, upper.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    if (upper == "CONNECT" || upper == "TRACE") {
        return bad(upper + " does not carry a request; use for example POST, PUT or DELETE");
    }
    return upper;
}

Result<core::StatusRange> parse_status(std::string_view text)
{
    if (text.size() == 3 && text[0] >= '1' && text[0] <= '5') {
        const int hundreds = (text[0] - '0') * 100;
        if (text.substr(1) == "xx" || text.substr(1) == "XX") {
            return core::StatusRange{hundreds, hundreds + 99};
        }
        const Result<std::int64_t> rest = parse_whole(text.substr(1));
        if (rest && *rest >= 0) {
            const int code = hundreds + static_cast<int>(*rest);
            return core::StatusRange{code, code};
        }
    }
    return bad(fmt::format("\"{}\" is not a status; write for example 409 or \"5xx\"", text));
}

Result<core::Operator> parse_operator(std::string_view text)
{
    using core::Operator;
    constexpr std::array<std::pair<std::string_view, Operator>, 8> operators = {{
        {"eq", Operator::eq},
        {"ne", Operator::ne},
        {"gt", Operator::gt},
        {"gte", Operator::gte},
        {"lt", Operator::lt},
        {"lte", Operator::lte},
        {"contains", Operator::contains},
        {"exists", Operator::exists},
    }};
    const auto* found =
        std::ranges::find(operators, text, [](const auto& known) { return known.first; });
    if (found == operators.end()) {
        return bad(fmt::format("\"{}\" is no operator", text));
    }
    return found->second;
}

Result<core::RetryAfterFormat> parse_retry_after_format(std::string_view text)
{
    using core::RetryAfterFormat;
    constexpr std::array<std::pair<std::string_view, RetryAfterFormat>, 6> formats = {{
        {"auto", RetryAfterFormat::automatic},
        {"seconds", RetryAfterFormat::seconds},
        {"milliseconds", RetryAfterFormat::milliseconds},
        {"unix", RetryAfterFormat::unix_time},
        {"httpdate", RetryAfterFormat::httpdate},
        {"iso8601", RetryAfterFormat::iso8601},
    }};
    const auto* found =
        std::ranges::find(formats, text, [](const auto& known) { return known.first; });
    if (found == formats.end()) {
        return bad(fmt::format("\"{}\" is no format", text));
    }
    return found->second;
}

bool is_loopback(const std::string& address)
{
    return address == "localhost" || address == "::1" || address == "[::1]" ||
           address.starts_with("127.");
}

bool is_token(std::string_view text)
{
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    });
}

bool has_control_character(std::string_view text)
{
    return std::ranges::any_of(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && c != '\t') || byte == 0x7F;
    });
}

} // namespace sagabox::config
