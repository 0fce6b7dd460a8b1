#include "app/once/judge.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

namespace sagabox::app::once {

namespace {

using core::Direction;
using core::Outcome;

template <class Label>
std::string label_or_none(const std::optional<Label>& label)
{
    return label ? std::string(core::to_label(*label)) : "none";
}

std::string name_of(const ExpectedCall& call)
{
    return fmt::format("{}{}, attempt {}", call.destination,
                       call.direction == Direction::revert ? ".revert" : "", call.attempt);
}

std::string name_of(const core::StepResult& row)
{
    return fmt::format("{}{}, attempt {}", row.destination,
                       row.direction == Direction::revert ? ".revert" : "", row.attempt);
}

/// The path of a URL of ours: what follows host and port.
std::string path_of(const std::string& url)
{
    const std::size_t host = url.find("://");
    const std::size_t path = host == std::string::npos ? host : url.find('/', host + 3);
    return path == std::string::npos ? url : url.substr(path);
}

std::string filled_in(std::string path, const std::string& id)
{
    if (const std::size_t place = path.find("{}"); place != std::string::npos) {
        path.replace(place, 2, id);
    }
    return path;
}

class Judge {
public:
    Judge(const Expected& expected, const Evidence& evidence)
        : expected_(expected), evidence_(evidence)
    {
    }

    Findings run()
    {
        findings_.compare("orders.order_status", expected_.order_status, evidence_.order_status);
        judge_events();
        if (expected_.events.size() == evidence_.story.size()) {
            judge_rows();
            judge_keys();
            judge_sequence();
        }
        findings_.compare("in force at the services", to_text(expected_.standing),
                          to_text(evidence_.ledger.standing));
        return std::move(findings_);
    }

private:
    void judge_events()
    {
        findings_.compare("number of events", expected_.events.size(), evidence_.story.size());
        const std::size_t both = std::min(expected_.events.size(), evidence_.story.size());
        for (std::size_t i = 0; i < both; ++i) {
            const ExpectedEvent& wanted = expected_.events[i];
            const store::EventStory& found = evidence_.story[i];
            const std::string who = fmt::format("event {}", found.event.id.value);
            findings_.compare(who + ", type", wanted.type, found.event.type);
            findings_.compare(who + ", status", core::to_label(wanted.status),
                              core::to_label(found.event.status));
            findings_.compare(who + ", moved_to_dlq", wanted.letter.has_value(),
                              found.moved_to_dlq);
            std::optional<core::LetterStatus> letter;
            std::optional<core::LetterReason> reason;
            if (found.letter) {
                letter = found.letter->status;
                reason = found.letter->reason;
            }
            findings_.compare(who + ", letter", label_or_none(wanted.letter),
                              label_or_none(letter));
            findings_.compare(who + ", letter's reason", label_or_none(wanted.reason),
                              label_or_none(reason));
        }
    }

    void judge_rows()
    {
        const std::vector<core::StepResult> rows = all_results(evidence_.story);
        for (std::size_t i = 0; i < std::max(rows.size(), expected_.calls.size()); ++i) {
            if (i >= rows.size()) {
                findings_.add(fmt::format("row {}: expected {}, there is none", i + 1,
                                          name_of(expected_.calls[i])));
            } else if (i >= expected_.calls.size()) {
                findings_.add(
                    fmt::format("row {}: expected none, there is {}", i + 1, name_of(rows[i])));
            } else {
                judge_row(fmt::format("row {} ({})", i + 1, name_of(expected_.calls[i])),
                          expected_.calls[i], rows[i]);
            }
        }
    }

    void judge_row(const std::string& what, const ExpectedCall& wanted,
                   const core::StepResult& found)
    {
        if (name_of(wanted) != name_of(found)) {
            findings_.compare(what, name_of(wanted), name_of(found));
            return;
        }
        findings_.compare(what + ", event", evidence_.story[wanted.event].event.id.value,
                          found.event_id.value);
        findings_.compare(what + ", on behalf of", evidence_.story[wanted.cause].event.id.value,
                          found.cause.value);
        findings_.compare(what + ", fanout_order", wanted.fanout_order, found.fanout_order);
        findings_.compare(what + ", outcome", core::to_label(wanted.outcome),
                          core::to_label(found.outcome));
        findings_.compare(what + ", response_status", wanted.status.value_or(0),
                          found.response_status.value_or(0));
        findings_.compare(what + ", method", wanted.method, found.http_method);

        // The id in a revert's address is checked against what the service itself says it made.
        const LedgerEntry* made = evidence_.ledger.find(
            key_of(evidence_.story[wanted.event], wanted.destination, Direction::forward));
        findings_.compare(what + ", address",
                          filled_in(wanted.path, made == nullptr ? "" : made->resource),
                          path_of(found.endpoint_url));
    }

    struct Arrivals {
        std::int64_t seen = 0;
        bool effect = false;
        const ExpectedCall* call = nullptr;
    };

    std::string key_of_call(const ExpectedCall& call) const
    {
        return key_of(evidence_.story[call.event], call.destination, call.direction);
    }

    void judge_keys()
    {
        std::map<std::string, Arrivals> wanted;
        for (const ExpectedCall& call : expected_.calls) {
            Arrivals& arrivals = wanted[key_of_call(call)];
            ++arrivals.seen;
            arrivals.effect = arrivals.effect || call.outcome == Outcome::succeeded;
            arrivals.call = &call;
        }
        for (const auto& [key, arrivals] : wanted) {
            const LedgerEntry* entry = evidence_.ledger.find(key);
            if (entry == nullptr) {
                findings_.add(fmt::format("ledger: expected key {}, it was never seen", key));
                continue;
            }
            const std::string what = "ledger, key " + key;
            findings_.compare(what + ", action", arrivals.call->action, entry->action);
            findings_.compare(what + ", times seen", arrivals.seen, entry->seen);
            findings_.compare(what + ", took effect", arrivals.effect, entry->effect_sequence != 0);
            findings_.compare(what + ", body changed", false, entry->body_changed);
        }
        for (const LedgerEntry& entry : evidence_.ledger.entries) {
            if (!wanted.contains(entry.key)) {
                findings_.add(fmt::format("ledger: expected no key {}, it was seen {} times ({})",
                                          entry.key, entry.seen, entry.action));
            }
        }
    }

    /// Services count all arrivals in one sequence: each call must have come after the one before.
    void judge_sequence()
    {
        const ExpectedCall* before = nullptr;
        std::int64_t last = 0;
        for (const ExpectedCall& call : expected_.calls) {
            const LedgerEntry* entry = evidence_.ledger.find(key_of_call(call));
            if (entry == nullptr || call.attempt != 1) {
                continue;
            }
            if (entry->first_sequence <= last) {
                findings_.add(fmt::format("ledger: expected {} after {}, it came before",
                                          name_of(call), name_of(*before)));
            }
            last = entry->last_sequence;
            before = &call;
        }
    }

    const Expected& expected_;
    const Evidence& evidence_;
    Findings findings_;
};

} // namespace

Findings judge(const Expected& expected, const Evidence& evidence)
{
    return Judge(expected, evidence).run();
}

const core::StepResult* find_row(const Evidence& evidence, std::string_view destination,
                                 core::Direction direction, int attempt)
{
    for (const store::EventStory& one : evidence.story) {
        for (const core::StepResult& row : one.results) {
            if (row.destination == destination && row.direction == direction &&
                row.attempt == attempt) {
                return &row;
            }
        }
    }
    return nullptr;
}

std::string key_of(const store::EventStory& event, std::string_view destination,
                   core::Direction direction)
{
    return fmt::format("{}:{}{}", event.event.uuid, destination,
                       direction == Direction::revert ? ".revert" : "");
}

} // namespace sagabox::app::once
