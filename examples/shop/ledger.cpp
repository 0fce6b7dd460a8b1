#include "shop/ledger.hpp"

#include <array>

namespace shop {
namespace {

constexpr std::array<std::string_view, 4> lasting{"reserved", "shipped", "charged", "notified"};

Json entry_json(const Entry& entry)
{
    return Json::object({{"sequence", entry.first_sequence},
                         {"lastSequence", entry.last_sequence},
                         {"key", entry.key},
                         {"action", entry.action},
                         {"aggregateId", entry.aggregate},
                         {"eventId", entry.event},
                         {"seen", entry.seen},
                         {"effect", entry.effect_sequence != 0},
                         {"effectSequence", entry.effect_sequence},
                         {"lastStatus", entry.last_status},
                         {"bodyChanged", entry.body_changed},
                         {"resource", entry.resource}});
}

} // namespace

Entry* Ledger::arrive(const Arrival& arrival)
{
    const std::uint64_t sequence = sequence_ + 1;
    const std::string key =
        arrival.key.empty() ? "no key, arrival " + std::to_string(sequence) : arrival.key;
    const auto found = by_key_.find(key);
    if (found == by_key_.end() && entries_.size() >= most_keys) {
        return nullptr;
    }
    sequence_ = sequence;
    std::size_t index = entries_.size();
    if (found != by_key_.end()) {
        index = found->second;
    } else {
        by_key_.emplace(key, index);
        entries_.push_back({.key = key,
                            .action = arrival.action,
                            .aggregate = arrival.aggregate,
                            .event = arrival.event,
                            .first_sequence = sequence,
                            .body_hash = arrival.body_hash,
                            .resource = {},
                            .answer = {}});
    }
    Entry& entry = entries_[index];
    ++entry.seen;
    entry.last_sequence = sequence;
    entry.body_changed = entry.body_changed || entry.body_hash != arrival.body_hash;
    return &entry;
}

void Ledger::take_effect(Entry& entry, std::string resource, std::string answer)
{
    ++effects_;
    entry.effect_sequence = entry.last_sequence;
    entry.resource = std::move(resource);
    entry.answer = std::move(answer);
}

void Ledger::add(const std::string& id, Resource resource)
{
    by_aggregate_[resource.aggregate].push_back(id);
    resources_.insert_or_assign(id, std::move(resource));
}

Resource* Ledger::find(const std::string& id)
{
    const auto found = resources_.find(id);
    return found == resources_.end() ? nullptr : &found->second;
}

Json Ledger::read(const Filter& filter) const
{
    std::vector<Json> entries;
    bool more = false;
    for (const Entry& entry : entries_) {
        if (entry.first_sequence <= filter.after ||
            (filter.aggregate && entry.aggregate != *filter.aggregate)) {
            continue;
        }
        if (entries.size() == filter.limit) {
            more = true;
            break;
        }
        entries.push_back(entry_json(entry));
    }
    return Json::object({{"totals", totals()},
                         {"entries", Json::array(entries)},
                         {"more", more},
                         {"state", filter.limit == 0 ? Json::object({}) : state(filter)}});
}

void Ledger::reset()
{
    *this = Ledger{};
}

Json Ledger::totals() const
{
    std::map<std::string_view, std::uint64_t> active;
    for (const auto& [id, resource] : resources_) {
        active[resource.service->leaves] += resource.active ? 1U : 0U;
    }
    std::vector<std::pair<std::string, Json>> counts;
    for (const std::string_view kind : lasting) {
        counts.emplace_back(kind, active[kind]);
    }
    return Json::object({{"keys", entries_.size()},
                         {"arrivals", sequence_},
                         {"effects", effects_},
                         {"active", Json::object(counts)}});
}

Json Ledger::state(const Filter& filter) const
{
    std::vector<std::pair<std::string, Json>> aggregates;
    for (const auto& [aggregate, ids] : by_aggregate_) {
        if (filter.aggregate && aggregate != *filter.aggregate) {
            continue;
        }
        std::map<std::string_view, std::vector<Json>> active;
        for (const std::string& id : ids) {
            const Resource& resource = resources_.at(id);
            if (resource.active) {
                active[resource.service->leaves].push_back(
                    resource.amount.empty()
                        ? Json::object({{"id", id}})
                        : Json::object({{"id", id}, {"amount", Json::parsed(resource.amount)}}));
            }
        }
        std::vector<std::pair<std::string, Json>> kinds;
        for (const std::string_view kind : lasting) {
            kinds.emplace_back(kind, Json::array(active[kind]));
        }
        aggregates.emplace_back(aggregate, Json::object(kinds));
    }
    return Json::object(aggregates);
}

} // namespace shop
