#pragma once

#include "shop/message.hpp"

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace shop {

/// One answer that a test or a scenario wants from a service.
struct ScriptedAnswer {
    int status = 0; ///< 0: what the effect answers, or 503 where there is none
    int times = 1;
    std::string retry_after;           ///< value of the header; empty: none
    std::chrono::milliseconds hang{0}; ///< the answer leaves this much later
    bool effect = false;               ///< the call takes effect, whatever is answered
};

/// Scripted answers, for an action and an aggregate, or for an action and any aggregate. Used up in
/// order; what comes after them is normal. Not thread-safe.
class Script {
public:
    /// Replaces the answers of one action and aggregate by what `body` says:
    ///
    ///     {"service": "billing.charge", "aggregateId": "7",
    ///      "answers": [{"status": 422, "times": 2}, {"status": 429, "retryAfter": "1"},
    ///                  {"hang": "6s", "effect": true}]}
    ///
    /// Without `aggregateId` they are for any aggregate that has none of its own.
    Response put(std::string_view body);

    /// Takes the next answer; nothing where the script has none.
    std::optional<ScriptedAnswer> take(std::string_view action, const std::string& aggregate);

    /// What has not been used up.
    [[nodiscard]] Json read() const;

    void reset() { answers_.clear(); }

private:
    using Key = std::pair<std::string, std::string>; ///< action, aggregate; empty: any

    std::map<Key, std::deque<ScriptedAnswer>> answers_;
};

} // namespace shop
