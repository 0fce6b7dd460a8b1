#include "app/once/evidence.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

namespace sagabox::app::once {

namespace {

std::string text_of(const json::Value& object, std::string_view name)
{
    const json::Value* member = object.find(name);
    const std::string* text = member == nullptr ? nullptr : member->as_string();
    return text == nullptr ? std::string() : *text;
}

std::int64_t number_of(const json::Value& object, std::string_view name)
{
    const json::Value* member = object.find(name);
    const json::Number* number = member == nullptr ? nullptr : member->as_number();
    std::int64_t value = 0;
    if (number != nullptr) {
        const std::string& digits = number->digits;
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    }
    return value;
}

bool is_true(const json::Value& object, std::string_view name)
{
    const json::Value* member = object.find(name);
    return member != nullptr && member->as_bool() != nullptr && *member->as_bool();
}

std::int64_t count_of(const json::Value& object, std::string_view name)
{
    const json::Value* member = object.find(name);
    const json::Array* list = member == nullptr ? nullptr : member->as_array();
    return list == nullptr ? 0 : static_cast<std::int64_t>(list->size());
}

LedgerEntry read_entry(const json::Value& entry)
{
    return {.key = text_of(entry, "key"),
            .action = text_of(entry, "action"),
            .event_id = text_of(entry, "eventId"),
            .seen = number_of(entry, "seen"),
            .first_sequence = number_of(entry, "sequence"),
            .last_sequence = number_of(entry, "lastSequence"),
            .effect_sequence = number_of(entry, "effectSequence"),
            .body_changed = is_true(entry, "bodyChanged"),
            .resource = text_of(entry, "resource")};
}

} // namespace

std::string to_text(const Standing& standing)
{
    return fmt::format("{} reserved, {} shipped, {} charged, {} notified", standing.reserved,
                       standing.shipped, standing.charged, standing.notified);
}

const LedgerEntry* Ledger::find(std::string_view key) const
{
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const LedgerEntry& entry) { return entry.key == key; });
    return found == entries.end() ? nullptr : &*found;
}

Ledger read_ledger(const json::Value& answer, std::string_view aggregate)
{
    Ledger ledger;
    const json::Value* entries = answer.find("entries");
    if (const json::Array* list = entries == nullptr ? nullptr : entries->as_array()) {
        std::transform(list->begin(), list->end(), std::back_inserter(ledger.entries), read_entry);
    }
    const json::Value* state = answer.find("state");
    if (const json::Value* mine = state == nullptr ? nullptr : state->find(aggregate)) {
        ledger.standing = {.reserved = count_of(*mine, "reserved"),
                           .shipped = count_of(*mine, "shipped"),
                           .charged = count_of(*mine, "charged"),
                           .notified = count_of(*mine, "notified")};
    }
    return ledger;
}

std::vector<core::StepResult> all_results(const store::Story& story)
{
    std::vector<core::StepResult> results;
    for (const store::EventStory& one : story) {
        results.insert(results.end(), one.results.begin(), one.results.end());
    }
    std::sort(results.begin(), results.end(),
              [](const core::StepResult& a, const core::StepResult& b) { return a.id < b.id; });
    return results;
}

} // namespace sagabox::app::once
