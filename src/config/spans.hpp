#pragma once

/// Spans of time in milliseconds, as `Setting::min` and `max` bound durations.
namespace sagabox::config::spans {

inline constexpr double second = 1'000;
inline constexpr double minute = 60 * second;
inline constexpr double hour = 60 * minute;
inline constexpr double day = 24 * hour;

} // namespace sagabox::config::spans
