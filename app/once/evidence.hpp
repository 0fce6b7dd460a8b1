#pragma once

#include "store/story.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sagabox::app::once {

/// What the simulated services know of one `Idempotency-Key`.
struct LedgerEntry {
    std::string key;
    std::string action;
    std::string event_id; ///< `X-Event-Id` of the first call
    std::int64_t seen = 0;
    std::int64_t first_sequence = 0;
    std::int64_t last_sequence = 0;
    std::int64_t effect_sequence = 0; ///< when it took effect; 0: never
    bool body_changed = false;        ///< a later call of the key had another body
    std::string resource;             ///< what it made or undid
};

/// What of an order is in force at the simulated services.
struct Standing {
    std::int64_t reserved = 0;
    std::int64_t shipped = 0;
    std::int64_t charged = 0;
    std::int64_t notified = 0;

    friend bool operator==(const Standing&, const Standing&) = default;
};
[[nodiscard]] std::string to_text(const Standing& standing);

/// The outside world's memory of one order, by its own account.
struct Ledger {
    std::vector<LedgerEntry> entries; ///< by first arrival
    Standing standing;

    [[nodiscard]] const LedgerEntry* find(std::string_view key) const;
};

/// An answer of `GET /api/simulators/ledger?aggregate=`.
[[nodiscard]] Ledger read_ledger(const json::Value& answer, std::string_view aggregate);

/// All that a scenario is judged by: the database's account and the outside world's.
struct Evidence {
    std::int64_t order = 0;
    std::string order_status; ///< `orders.order_status`
    store::Story story;
    Ledger ledger;
};

/// The story's results in the order in which they were written, whosever they are.
[[nodiscard]] std::vector<core::StepResult> all_results(const store::Story& story);

} // namespace sagabox::app::once
