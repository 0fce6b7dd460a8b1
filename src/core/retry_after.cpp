#include "core/retry_after.hpp"

#include "core/moment.hpp"

#include <algorithm>

namespace sagabox::core {
namespace {

using std::chrono::milliseconds;

/// Below it a bare number is a delay (31 years), from it on a moment (after 2001).
constexpr std::int64_t first_epoch_second = 1'000'000'000;
/// From it on a moment is told in milliseconds (as seconds it would be the year 5138).
constexpr std::int64_t first_epoch_millisecond = 100'000'000'000;
/// Larger numbers are read as this one, which is later than any cap and overflows nothing.
constexpr std::int64_t saturated = 4'000'000'000'000'000;

std::string_view trimmed(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) {
        return {};
    }
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::optional<std::int64_t> read_digits(std::string_view text)
{
    if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
        return std::nullopt;
    }
    std::int64_t value = 0;
    for (const char c : text) {
        value = std::min(value * 10 + (c - '0'), saturated);
    }
    return value;
}

milliseconds seconds_delay(std::int64_t seconds)
{
    return milliseconds{std::min(seconds, saturated / 1000) * 1000};
}

/// From `now` to a moment, both in ms; a fraction of a millisecond of `now` is waited for.
milliseconds until(milliseconds moment, DbTime now)
{
    return moment - std::chrono::floor<milliseconds>(now.since_epoch);
}

milliseconds epoch_delay(std::int64_t number, DbTime now)
{
    return until(number < first_epoch_millisecond ? seconds_delay(number) : milliseconds{number},
                 now);
}

std::optional<milliseconds> date_delay(std::optional<milliseconds> moment, DbTime now)
{
    return moment ? std::optional{until(*moment, now)} : std::nullopt;
}

std::optional<milliseconds> automatic(std::string_view text, DbTime now)
{
    if (const auto number = read_digits(text)) {
        return *number < first_epoch_second ? seconds_delay(*number) : epoch_delay(*number, now);
    }
    if (const auto moment = parse_http_date(text, now)) {
        return until(*moment, now);
    }
    return date_delay(parse_iso8601(text), now);
}

std::optional<milliseconds> read(std::string_view text, RetryAfterFormat format, DbTime now)
{
    const auto number = read_digits(text);
    switch (format) {
    case RetryAfterFormat::automatic:
        return automatic(text, now);
    case RetryAfterFormat::seconds:
        return number ? std::optional{seconds_delay(*number)} : std::nullopt;
    case RetryAfterFormat::milliseconds:
        return number ? std::optional{milliseconds{*number}} : std::nullopt;
    case RetryAfterFormat::unix_time:
        return number ? std::optional{epoch_delay(*number, now)} : std::nullopt;
    case RetryAfterFormat::httpdate:
        return date_delay(parse_http_date(text, now), now);
    case RetryAfterFormat::iso8601:
        return date_delay(parse_iso8601(text), now);
    }
    return std::nullopt;
}

} // namespace

std::optional<milliseconds> parse_retry_after(std::string_view text, RetryAfterFormat format,
                                              DbTime now, milliseconds cap)
{
    const auto delay = read(trimmed(text), format, now);
    if (!delay) {
        return std::nullopt;
    }
    return std::clamp(*delay, milliseconds{0}, std::max(cap, milliseconds{0}));
}

} // namespace sagabox::core
