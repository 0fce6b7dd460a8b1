#pragma once

#include "shop/message.hpp"
#include "shop/services.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shop {

/// What arrived at a simulated service.
struct Arrival {
    std::string key; ///< `Idempotency-Key`; empty: the request counts as one of its own
    std::string_view action;
    std::string aggregate;
    std::string event;
    std::size_t body_hash = 0;
};

/// What is known of one key.
struct Entry {
    std::string key;
    std::string_view action;
    std::string aggregate;
    std::string event;
    std::uint64_t first_sequence = 0;  ///< of its first arrival
    std::uint64_t last_sequence = 0;   ///< of its last
    std::uint64_t effect_sequence = 0; ///< when it took effect; 0: it did not
    std::uint32_t seen = 0;
    int last_status = 0;
    std::size_t body_hash = 0;
    bool body_changed = false; ///< a later arrival of the key had another body
    std::string resource;      ///< what it made or undid
    std::string answer;        ///< kept when it took effect, and given again
};

/// What a service made and may have to undo.
struct Resource {
    const Service* service = nullptr;
    std::string aggregate;
    std::string amount; ///< JSON; empty where no money is involved
    bool active = true;
};

/// Every call that the simulated services have seen, in order, and what is in force because of
/// them.
///
/// In memory only: it begins empty with each start of the shop. At most `most_keys` keys, so that a
/// long run cannot eat the machine; a reset makes room. Not thread-safe.
class Ledger {
public:
    static constexpr std::size_t most_keys = 200'000;

    /// Counts an arrival; null where the ledger is full.
    Entry* arrive(const Arrival& arrival);

    /// Notes that the entry's call took effect, once, and answered `answer`.
    void take_effect(Entry& entry, std::string resource, std::string answer);

    void add(const std::string& id, Resource resource);
    [[nodiscard]] Resource* find(const std::string& id);

    struct Filter {
        std::optional<std::string> aggregate;
        std::uint64_t after = 0; ///< entries that first arrived later than this
        std::size_t limit = most_keys;
    };
    [[nodiscard]] Json read(const Filter& filter) const;

    void reset();

private:
    [[nodiscard]] Json totals() const;
    [[nodiscard]] Json state(const Filter& filter) const;

    std::uint64_t sequence_ = 0;
    std::uint64_t effects_ = 0;
    std::vector<Entry> entries_;
    std::unordered_map<std::string, std::size_t> by_key_;
    std::unordered_map<std::string, Resource> resources_;
    std::map<std::string, std::vector<std::string>> by_aggregate_; ///< resources, oldest first
};

} // namespace shop
