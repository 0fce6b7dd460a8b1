#include "store/history.hpp"

#include "store/reading.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "sql.hpp"

namespace sagabox::store {

namespace {

/// Whether anything can be written down about a saga yet.
bool has_a_past(const Held& held)
{
    return held.lease.on == Lease::On::letter || held.lease.claim_no > 1;
}

struct StoredEvent {
    core::Event event;
    std::optional<core::LetterStatus> letter;
    std::int64_t forgiven_up_to = 0;
};

StoredEvent read_stored_event(const pg::Rows& rows, std::size_t row)
{
    StoredEvent stored;
    stored.event = read_event(rows, row);
    stored.forgiven_up_to = rows.integer(row, 11);
    if (!rows.is_null(row, 12)) {
        stored.letter = core::letter_status(rows.text(row, 12));
    }
    return stored;
}

/// What was read for a batch of claims.
struct Stored {
    std::map<EventId, StoredEvent> events;
    std::map<EventId, std::vector<core::StepResult>> results;

    [[nodiscard]] std::vector<core::StepResult> results_of(EventId event,
                                                           std::int64_t forgiven) const
    {
        const auto found = results.find(event);
        if (found == results.end()) {
            return {};
        }
        std::vector<core::StepResult> out = found->second;
        for (core::StepResult& result : out) {
            result.forgiven = result.id.value <= forgiven;
        }
        return out;
    }
};

Stored read_stored(const pg::Rows& events, const pg::Rows& results)
{
    Stored stored;
    for (std::size_t row = 0; row < events.size(); ++row) {
        StoredEvent event = read_stored_event(events, row);
        stored.events.emplace(event.event.id, std::move(event));
    }
    for (std::size_t row = 0; row < results.size(); ++row) {
        core::StepResult result = read_result(results, row);
        stored.results[result.event_id].push_back(std::move(result));
    }
    return stored;
}

/// The events that each cancel undoes.
using Targets = std::map<EventId, std::vector<EventId>>;

std::vector<pg::Query> target_queries(const std::vector<Held>& held, std::vector<EventId>& cancels)
{
    std::vector<pg::Query> queries;
    for (const Held& one : held) {
        if (std::holds_alternative<core::Cancellation>(one.saga.errand)) {
            cancels.push_back(one.saga.own.event.id);
            pg::Query query{sql::find_cancel_targets, {}};
            query.params.integer(cancels.back().value);
            queries.push_back(std::move(query));
        }
    }
    return queries;
}

Targets read_targets(const std::vector<pg::Rows>& found, const std::vector<EventId>& cancels)
{
    Targets targets;
    for (std::size_t i = 0; i < found.size(); ++i) {
        for (std::size_t row = 0; row < found[i].size(); ++row) {
            targets[cancels[i]].push_back({found[i].integer(row, 0)});
        }
    }
    return targets;
}

/// Reads the rows of events that are not known yet, and the results of all that have a past.
std::vector<pg::Query> history_queries(const std::vector<Held>& held, const Targets& targets)
{
    std::set<std::int64_t> events, results;
    for (const Held& one : held) {
        if (one.lease.on == Lease::On::letter) {
            events.insert(one.saga.own.event.id.value);
        }
        if (has_a_past(one)) {
            results.insert(one.saga.own.event.id.value);
        }
    }
    for (const auto& [cancel, undone] : targets) {
        for (const EventId target : undone) {
            events.insert(target.value);
            results.insert(target.value);
        }
    }
    std::vector<pg::Query> reads;
    if (!results.empty()) {
        reads.resize(2);
        const std::vector<std::int64_t> event_ids(events.begin(), events.end());
        const std::vector<std::int64_t> result_ids(results.begin(), results.end());
        reads[0].statement = sql::load_events;
        reads[0].params.integers(event_ids);
        reads[1].statement = sql::load_results;
        reads[1].params.integers(result_ids);
    }
    return reads;
}

void fill_in_cancel(core::Cancellation& cancellation, const std::vector<EventId>& undone,
                    const Stored& stored)
{
    cancellation.targets.clear();
    for (const EventId target : undone) {
        const auto found = stored.events.find(target);
        if (found == stored.events.end()) {
            continue; // purged meanwhile: it ended long ago
        }
        cancellation.targets.push_back({found->second.event,
                                        stored.results_of(target, found->second.forgiven_up_to),
                                        found->second.letter});
    }
}

void fill_in(Held& one, const Targets& targets, const Stored& stored)
{
    core::History& own = one.saga.own;
    if (auto* cancellation = std::get_if<core::Cancellation>(&one.saga.errand)) {
        const auto undone = targets.find(own.event.id);
        fill_in_cancel(*cancellation,
                       undone == targets.end() ? std::vector<EventId>{} : undone->second, stored);
        return;
    }
    if (!has_a_past(one)) {
        return;
    }
    if (one.lease.on == Lease::On::letter) {
        const auto found = stored.events.find(own.event.id);
        if (found == stored.events.end()) {
            return; // its event was deleted by hand: nothing to undo by
        }
        own.event = found->second.event;
        own.letter = found->second.letter;
        one.forgiven_up_to = std::max(one.forgiven_up_to, found->second.forgiven_up_to);
    }
    own.results = stored.results_of(own.event.id, one.forgiven_up_to);
}

} // namespace

Task<Result<void>> load_histories(pg::Connection& connection, std::vector<Held>& held,
                                  Deadline deadline)
{
    Targets targets;
    std::vector<EventId> cancels;
    std::vector<pg::Query> finds = target_queries(held, cancels);
    if (!finds.empty()) {
        Result<std::vector<pg::Rows>> found =
            co_await connection.transact(std::move(finds), deadline);
        if (!found) {
            co_return fail(std::move(found.error()));
        }
        targets = read_targets(*found, cancels);
    }
    std::vector<pg::Query> reads = history_queries(held, targets);
    if (reads.empty()) {
        co_return Result<void>{};
    }
    Result<std::vector<pg::Rows>> found = co_await connection.transact(std::move(reads), deadline);
    if (!found) {
        co_return fail(std::move(found.error()));
    }
    const Stored stored = read_stored((*found)[0], (*found)[1]);
    for (Held& one : held) {
        fill_in(one, targets, stored);
    }
    co_return Result<void>{};
}

} // namespace sagabox::store
