#pragma once

#include "shop/message.hpp"
#include "shop/rate_limit.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace shop {

/// How well the simulated services work, by action: how often one fails, how late it answers, how
/// many calls a second it takes. All can be changed at any time. Not thread-safe.
///
/// Failures are drawn from seed, action, subject and count, so that equal runs are equal.
class Conditions {
public:
    /// At first every service is perfect.
    explicit Conditions(std::uint64_t seed);

    /// `failure-rates` (0 to 1), `latencies` (milliseconds) and `rate-limits` (calls a second; 0:
    /// any number). True where there is such a setting.
    [[nodiscard]] static bool knows(std::string_view setting);

    /// The setting of every action, as a JSON object. Requires a setting that is known.
    [[nodiscard]] Json read(std::string_view setting) const;

    /// Replaces the setting of the actions that `body` names; a problem where one makes no sense,
    /// and then nothing is changed.
    Response put(std::string_view setting, std::string_view body);

    /// The same for failure rates that were checked already; actions that do not exist are left
    /// out.
    void set_failure_rates(const std::map<std::string, double>& rates);

    /// Whether this call fails. `subject`: what it is about, an aggregate or a recipient.
    bool fails(std::string_view action, const std::string& subject);

    [[nodiscard]] std::chrono::milliseconds latency(std::string_view action) const;

    /// Lets one call in; else says in how many seconds it may come again.
    std::optional<std::chrono::seconds> turn_away(std::string_view action, RateLimit::Moment now);

    /// Begins the draws anew; what was set stays.
    void forget_draws() { draws_.clear(); }

private:
    using Values = std::map<std::string, double, std::less<>>; ///< by action; each action is there

    std::uint64_t seed_;
    std::map<std::string, Values, std::less<>> settings_;
    std::map<std::string, std::uint64_t> draws_;
    std::map<std::string, RateLimit, std::less<>> limits_;
};

} // namespace shop
