#include "core/call.hpp"

#include <algorithm>

namespace sagabox::core {
namespace {

/// Doubles hold every integer up to here, so the jitter's arithmetic stays exact (285,000 years).
constexpr std::int64_t longest = std::int64_t{1} << 53;

std::int64_t without_jitter(int attempt, const Backoff& backoff, std::int64_t max)
{
    const std::int64_t base = std::clamp<std::int64_t>(backoff.base.count(), 1, max);
    const int n = std::max(attempt, 1);
    if (backoff.kind == BackoffKind::linear) {
        return base > max / n ? max : base * n;
    }
    const int doublings = n - 1;
    return doublings > 52 || base > (max >> doublings) ? max : base << doublings;
}

/// SplitMix64's finaliser: neighbouring seeds (event ids, attempts) land far apart.
std::uint64_t mix(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

} // namespace

std::chrono::milliseconds delay_after(int attempt, const Backoff& backoff, std::uint64_t seed)
{
    const std::int64_t max = std::clamp<std::int64_t>(backoff.max.count(), 1, longest);
    const std::int64_t delay = without_jitter(attempt, backoff, max);
    if (!(backoff.jitter > 0)) {
        return std::chrono::milliseconds{delay};
    }

    // The band is cut at the maximum before a place in it is drawn. Drawing first and cutting then
    // would put half of all late retries on one and the same moment.
    const double jitter = std::min(backoff.jitter, 1.0);
    const auto spread = static_cast<std::int64_t>(static_cast<double>(delay) * jitter);
    const std::int64_t low = std::max<std::int64_t>(delay - spread, 1);
    const std::int64_t high = std::min(delay + spread, max);
    const double place = static_cast<double>(mix(seed) >> 11U) * 0x1.0p-53;
    const auto offset = static_cast<std::int64_t>(place * static_cast<double>(high - low + 1));
    return std::chrono::milliseconds{std::min(low + offset, high)};
}

} // namespace sagabox::core
