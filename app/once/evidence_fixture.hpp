#pragma once

#include "app/once/expected.hpp"
#include "app/once/judge.hpp"
#include "app/once/order.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace sagabox::app::once {

inline std::string made_by(const ExpectedCall& call)
{
    return "made-by-" + call.destination;
}

/// Enters a call as the service that saw it would.
inline void arrive(Ledger& ledger, const std::string& key, const ExpectedCall& call,
                   std::int64_t sequence)
{
    auto entry = std::find_if(ledger.entries.begin(), ledger.entries.end(),
                              [&](const LedgerEntry& one) { return one.key == key; });
    if (entry == ledger.entries.end()) {
        ledger.entries.push_back({.key = key,
                                  .action = call.action,
                                  .event_id = {},
                                  .first_sequence = sequence,
                                  .resource = made_by(call)});
        entry = std::prev(ledger.entries.end());
    }
    ++entry->seen;
    entry->last_sequence = sequence;
    if (call.outcome == core::Outcome::succeeded && entry->effect_sequence == 0) {
        entry->effect_sequence = sequence;
    }
}

/// Evidence of an order that ended exactly as expected: tests spoil one thing of it.
inline Evidence evidence_of(const Expected& expected, std::int64_t order)
{
    Evidence evidence;
    evidence.order = order;
    evidence.order_status = expected.order_status;
    for (const ExpectedEvent& wanted : expected.events) {
        store::EventStory event;
        event.event.id = {static_cast<std::int64_t>(evidence.story.size()) + 101};
        event.event.uuid = fmt::format("uuid-{}", event.event.id.value);
        event.event.type = wanted.type;
        event.event.status = wanted.status;
        event.moved_to_dlq = wanted.letter.has_value();
        if (wanted.letter) {
            event.letter.emplace();
            event.letter->status = *wanted.letter;
            event.letter->reason = wanted.reason.value_or(event.letter->reason);
        }
        evidence.story.push_back(std::move(event));
    }
    std::int64_t sequence = 0;
    for (const ExpectedCall& call : expected.calls) {
        ++sequence;
        store::EventStory& event = evidence.story[call.event];
        core::StepResult row;
        row.id = {sequence};
        row.event_id = event.event.id;
        row.cause = evidence.story[call.cause].event.id;
        row.destination = call.destination;
        row.direction = call.direction;
        row.fanout_order = call.fanout_order;
        row.attempt = call.attempt;
        row.outcome = call.outcome;
        row.response_status = call.status;
        row.http_method = call.method;
        std::string path = call.path;
        if (const std::size_t place = path.find("{}"); place != std::string::npos) {
            path.replace(place, 2, made_by(call));
        }
        row.endpoint_url = "http://127.0.0.1:9000" + path;
        event.results.push_back(std::move(row));
        arrive(evidence.ledger, key_of(event, call.destination, call.direction), call, sequence);
    }
    evidence.ledger.standing = expected.standing;
    return evidence;
}

} // namespace sagabox::app::once
