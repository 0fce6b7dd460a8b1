#include "core/retry_after.hpp"

#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace sagabox::fuzz {

void retry_after(std::string_view input)
{
    using std::chrono::milliseconds;
    if (input.empty()) {
        return;
    }
    constexpr std::array formats = {
        core::RetryAfterFormat::automatic,    core::RetryAfterFormat::seconds,
        core::RetryAfterFormat::milliseconds, core::RetryAfterFormat::unix_time,
        core::RetryAfterFormat::httpdate,     core::RetryAfterFormat::iso8601};
    const auto chooser = static_cast<unsigned char>(input.front());
    const core::RetryAfterFormat format = formats[chooser % formats.size()];
    // From 1999 to 2041, half a second past a whole one.
    const DbTime now{std::chrono::seconds{915'148'800 + 31'556'952LL * (chooser / 6)} +
                     std::chrono::microseconds{500'001}};
    const std::string_view text = input.substr(1);

    constexpr milliseconds hour{3'600'000};
    constexpr milliseconds century{3'155'760'000'000};
    const auto within_hour = core::parse_retry_after(text, format, now, hour);
    const auto within_century = core::parse_retry_after(text, format, now, century);
    require(within_hour.has_value() == within_century.has_value(),
            "the cap does not decide what is usable");
    require(core::parse_retry_after(text, format, now, milliseconds{0}).value_or(milliseconds{0}) ==
                milliseconds{0},
            "a cap of zero is kept");
    if (!within_hour) {
        return;
    }
    require(*within_hour >= milliseconds{0}, "no wait is negative");
    require(*within_century <= century, "the cap is kept");
    require(*within_hour == std::min(*within_century, hour), "the cap only cuts");
    require(text.find_first_of("0123456789") != std::string_view::npos, "words name no delay");
    require(core::parse_retry_after(" \t" + std::string(text) + " ", format, now, hour) ==
                within_hour,
            "blanks around a value mean nothing");
    require(!core::parse_retry_after("-" + std::string(text), format, now, hour) ||
                format == core::RetryAfterFormat::iso8601,
            "no sign is taken");
}

} // namespace sagabox::fuzz
