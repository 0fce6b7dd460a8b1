#include "tests/torture/judge.hpp"

#include "tests/torture/shop.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace sagabox::torture {

namespace {

using testing::Sql;

/// An event as it is stored, with its letter.
struct Event {
    std::int64_t id = 0;
    std::string uuid;
    std::string aggregate;
    std::string type;
    std::string status;
    bool in_dead_letters = false;
    int deaths = 0;     ///< its own and its letter's, as they stand now
    std::string letter; ///< its status; empty where there is none
    std::string reason;
    std::string complaint; ///< everything that the letter says
    std::string key;
    int claims = 0;
};

/// What the rows tell of one step, forward or revert.
struct Rows {
    int calls = 0;
    int interrupted = 0;
    int successes = 0;
    std::string answer_id;
};

class Judgement {
public:
    Judgement(Sql& sql, const Services::Account& outside, const Producers::Book& book,
              std::uint64_t seed)
        : sql_(sql), outside_(outside), book_(book), seed_(seed)
    {
        for (const Effect& effect : outside_.effects) {
            effects_[effect.key] = &effect;
        }
        read_events();
        read_rows();
    }

    Verdict reach()
    {
        verdict_.faults = outside_.complaints;
        check_intents();
        for (const auto& [id, event] : events_) {
            check_event(event);
        }
        check_effects();
        check_arrivals();
        check_orders();
        return std::move(verdict_);
    }

private:
    void read_events();
    void read_rows();
    void check_intents();
    void check_event(const Event& event);
    void check_complete(const Event& event);
    void check_undone(const Event& event, const Event& letter_of);
    void check_stopped(const Event& cancel);
    void check_effects();
    void check_arrivals();
    void check_orders();

    /// The event that undid, or was to undo, what `event` did; none where nothing was to be undone.
    [[nodiscard]] const Event* undoer_of(const Event& event) const;

    void fault(std::string text) { verdict_.faults.push_back(std::move(text)); }
    void lost(std::string text)
    {
        ++verdict_.lost;
        fault("lost: " + std::move(text));
    }

    Sql& sql_;
    const Services::Account& outside_;
    const Producers::Book& book_;
    const std::uint64_t seed_;
    std::map<std::int64_t, Event> events_;
    std::map<std::string, const Event*> by_uuid_;
    std::map<std::string, std::vector<const Event*>> by_aggregate_; ///< oldest first
    std::map<std::pair<std::int64_t, std::string>, Rows> rows_;
    std::map<std::string, const Effect*> effects_;
    Verdict verdict_;
};

std::string name_of(const Event& event)
{
    return fmt::format("{} {} of {}", event.type, event.id, event.aggregate);
}

void Judgement::read_events()
{
    for (const Sql::Row& row :
         sql_.rows("select e.id, e.event_uuid, e.aggregate_id, e.event_type, e.status, "
                   "e.moved_to_dlq::int, e.deaths + coalesce(l.deaths, 0), l.status, l.reason, "
                   "concat_ws('; ', l.last_error, l.revert_error), e.idempotency_key, e.claim_no "
                   "from outbox_events e left join lateral (select * from dead_letter_events d "
                   "where d.original_event_id = e.id order by d.id desc limit 1) l on true order "
                   "by e.id")) {
        Event event{std::stoll(row[0]), row[1], row[2], row[3], row[4],  row[5] == "1",
                    std::stoi(row[6]),  row[7], row[8], row[9], row[10], std::stoi(row[11])};
        const Event& kept = events_.emplace(event.id, std::move(event)).first->second;
        by_uuid_[kept.uuid] = &kept;
        by_aggregate_[kept.aggregate].push_back(&kept);
    }
}

void Judgement::read_rows()
{
    for (const Sql::Row& row :
         sql_.rows("select event_id, destination, count(*), sum(interrupted), "
                   "count(*) filter (where success), max(response_payload ->> 'id') filter (where "
                   "success) "
                   "from aggregate_results where outcome <> 'skipped' group by 1, 2")) {
        rows_[{std::stoll(row[0]), row[1]}] = {std::stoi(row[2]), std::stoi(row[3]),
                                               std::stoi(row[4]), row[5]};
    }
}

void Judgement::check_intents()
{
    std::set<std::string> intended, stored;
    for (const Sql::Row& row : sql_.rows("select key from intents")) {
        intended.insert(row[0]);
    }
    for (const Sql::Row& row : sql_.rows("select idempotency_key from outbox_events")) {
        if (!stored.insert(row[0]).second) {
            fault("two events have the key " + row[0]);
        }
    }
    for (const auto& [key, since] : book_.committed) {
        if (!intended.contains(key) || !stored.contains(key)) {
            lost("what was committed with the event " + key);
        }
    }
    for (const std::string& key : intended) {
        if (!stored.contains(key)) {
            lost("the event " + key + ", and its order is there");
        }
        if (book_.rolled_back.contains(key)) {
            fault(key + " was rolled back and is there");
        }
    }
    for (const std::string& key : stored) {
        if (!intended.contains(key)) {
            fault("an event without its order: " + key);
        }
    }
}

const Event* Judgement::undoer_of(const Event& event) const
{
    const Event* failed = nullptr;
    for (const Event* other : by_aggregate_.at(event.aggregate)) {
        if (other->id > event.id && other->type == "!" + event.type) {
            if (other->status == "PROCESSED") {
                return other;
            }
            failed = other;
        }
    }
    return failed == nullptr && event.in_dead_letters ? &event : failed;
}

void Judgement::check_event(const Event& event)
{
    ++verdict_.sagas;
    if (event.status == "PENDING" || event.status == "PROCESSING" || event.letter == "PENDING" ||
        event.letter == "PROCESSING") {
        lost(name_of(event) + " has not ended");
        return;
    }
    if (event.reason == "POISONED") {
        ++verdict_.poisoned;
    }
    if (event.letter == "FAILED") {
        ++verdict_.left_to_a_person;
    }
    if (event.type.front() == '!') {
        ++verdict_.cancelled;
        check_stopped(event);
        if (event.status == "FAILED" && event.letter.empty()) {
            fault(name_of(event) + " failed without a letter");
        }
        return;
    }
    if (const Event* undoer = undoer_of(event)) {
        if (event.letter == "PROCESSED") {
            ++verdict_.compensated;
        }
        check_undone(event, *undoer);
        return;
    }
    if (event.status != "PROCESSED") {
        fault(fmt::format("{} is {}, and nobody asked for that", name_of(event), event.status));
        return;
    }
    ++verdict_.completed;
    check_complete(event);
}

void Judgement::check_complete(const Event& event)
{
    const shop::Fate fate = shop::fate_of(seed_, event.aggregate);
    for (const std::string& destination : shop::fanout(event.type)) {
        const std::string path = shop::path_of(destination, fate, event.type);
        const auto found = effects_.find(event.uuid + ":" + destination);
        if (path.empty() != (found == effects_.end())) {
            lost(fmt::format("{}: it is complete, and {} was {}called", name_of(event), destination,
                             path.empty() ? "" : "never "));
        } else if (!path.empty() && found->second->path != path) {
            fault(fmt::format("{}: {} was called at {}, not {}", name_of(event), destination,
                              found->second->path, path));
        } else if (!path.empty() && found->second->undone != 0) {
            fault(fmt::format("{}: it is complete, and {} is undone", name_of(event), destination));
        }
    }
}

/// What stands although all was to be undone must be what the letter leaves to a person: a step
/// that it names, or one before the step whose undoing failed.
void Judgement::check_undone(const Event& event, const Event& letter_of)
{
    std::uint64_t stopped_at = 0;
    if (letter_of.letter == "FAILED") {
        for (const std::string& destination : shop::destinations()) {
            const bool names =
                letter_of.complaint.find(destination + ".revert") != std::string::npos ||
                letter_of.complaint.find("that undoes " + destination) != std::string::npos;
            if (!names) {
                continue;
            }
            std::uint64_t last = 0;
            for (const Effect& effect : outside_.effects) {
                if (effect.destination == destination && effect.aggregate == event.aggregate) {
                    last = std::max(last, effect.applied);
                }
            }
            stopped_at = std::max(stopped_at, last == 0 ? UINT64_MAX : last);
        }
        if (letter_of.reason == "POISONED" &&
            letter_of.complaint.find("undone") != std::string::npos) {
            stopped_at = UINT64_MAX; // the worker was lost again and again while it undid
        }
    }
    for (const std::string& destination : shop::fanout(event.type)) {
        const auto found = effects_.find(event.uuid + ":" + destination);
        if (found == effects_.end() || found->second->undone != 0 ||
            shop::undo_of(destination) == shop::Undo::never) {
            continue;
        }
        const bool named = letter_of.letter == "FAILED" &&
                           letter_of.complaint.find(fmt::format("{} of event {}", destination,
                                                                event.id)) != std::string::npos;
        if (!named && found->second->applied > stopped_at) {
            fault(fmt::format("{}: {} still stands after {} {}, whose letter is '{}': {}",
                              name_of(event), destination, letter_of.type, letter_of.id,
                              letter_of.letter, letter_of.complaint));
        }
    }
}

/// What is at work when a cancel is committed stops at its next step boundary. Who takes it over
/// may make one call before it learns of the cancel.
void Judgement::check_stopped(const Event& cancel)
{
    const auto since = book_.committed.find(cancel.key);
    if (since == book_.committed.end()) {
        return;
    }
    for (const Event* event : by_aggregate_.at(cancel.aggregate)) {
        if (event->id > cancel.id || cancel.type != "!" + event->type) {
            continue;
        }
        int begun = 0;
        for (const std::string& destination : shop::fanout(event->type)) {
            const auto seen = outside_.arrivals.find(event->uuid + ":" + destination);
            begun += seen != outside_.arrivals.end() && seen->second.first_at > since->second;
        }
        if (begun > std::max(event->claims, 1)) {
            fault(fmt::format("{}: {} of its steps began after {} was committed", name_of(*event),
                              begun, name_of(cancel)));
        }
    }
}

void Judgement::check_effects()
{
    std::map<std::string, std::pair<std::uint64_t, const Effect*>> last_undone;
    std::map<std::string, std::int64_t> last_notified;
    for (const Effect& effect : outside_.effects) {
        ++verdict_.effects;
        verdict_.undone += effect.undone != 0 ? 1 : 0;
        const std::string uuid = effect.key.substr(0, effect.key.find(':'));
        const auto event = by_uuid_.find(uuid);
        if (event == by_uuid_.end()) {
            fault(fmt::format("{} acted for {}, which was never committed", effect.destination,
                              effect.key));
            continue;
        }
        if (effect.undone != 0) {
            // In the order of application: whoever undoes must have begun at the end.
            auto& before = last_undone[effect.undone_for];
            if (before.second != nullptr && before.first < effect.undone) {
                fault(fmt::format("for event {}, {} was undone before {}, which was done later",
                                  effect.undone_for, before.second->key, effect.key));
            }
            before = {effect.undone, &effect};
        }
        if (effect.destination == "notifications") {
            auto& last = last_notified[effect.aggregate];
            if (event->second->id < last) {
                fault(fmt::format("{} took effect after event {}", name_of(*event->second), last));
            }
            last = std::max(last, event->second->id);
        }
    }
    for (const auto& [step, rows] : rows_) {
        const auto& [id, destination] = step;
        if (rows.successes == 0 || destination.ends_with(".revert") || !events_.contains(id)) {
            continue;
        }
        const auto effect = effects_.find(events_.at(id).uuid + ":" + destination);
        if (effect == effects_.end()) {
            fault(fmt::format("{}: {} is said to have succeeded, and did nothing",
                              name_of(events_.at(id)), destination));
        } else if (effect->second->answer_id != rows.answer_id) {
            fault(fmt::format("{}: {} answered {}, and {} is stored", name_of(events_.at(id)),
                              destination, effect->second->answer_id, rows.answer_id));
        }
        if (rows.successes > 1) {
            fault(fmt::format("{}: {} has succeeded {} times", name_of(events_.at(id)), destination,
                              rows.successes));
        }
    }
}

/// Each arrival has its row, save for those whose worker was lost: a row of that step, or the event
/// itself, counts the loss.
void Judgement::check_arrivals()
{
    for (const auto& [key, seen] : outside_.arrivals) {
        const std::size_t colon = key.find(':');
        const auto found = by_uuid_.find(key.substr(0, colon));
        const std::string step = colon == std::string::npos ? "" : key.substr(colon + 1);
        if (found == by_uuid_.end()) {
            fault(fmt::format("a call for {} under the key {}, which was never committed",
                              seen.aggregate, key));
            continue;
        }
        const Event& event = *found->second;
        const Rows& rows = rows_[{event.id, step}];
        verdict_.repeated += seen.arrivals - 1;
        const int unrecorded = std::max(0, seen.arrivals - rows.calls);
        verdict_.unrecorded += unrecorded;
        int losses = rows.interrupted + event.deaths;
        for (const Event* other : by_aggregate_.at(event.aggregate)) {
            losses += other->type == "!" + event.type ? other->deaths : 0;
        }
        if (unrecorded > losses) {
            fault(
                fmt::format("{}: {} arrived {} times, has {} rows, and {} workers were lost on it",
                            name_of(event), step, seen.arrivals, rows.calls, losses));
        }
    }
}

/// The outcome SQL is part of the transaction that ends a saga: it took effect as often as that.
void Judgement::check_orders()
{
    for (const Sql::Row& row :
         sql_.rows("select aggregate, completed, compensated, failed, cancelled from orders")) {
        int completed = 0, compensated = 0, cancelled = 0;
        for (const Event* event : by_aggregate_[row[0]]) {
            if (event->type == "OrderCreated") {
                completed += event->status == "PROCESSED" && !event->in_dead_letters ? 1 : 0;
                compensated += event->letter == "PROCESSED" ? 1 : 0;
            }
            cancelled += event->type == "!OrderCreated" && event->status == "PROCESSED" ? 1 : 0;
        }
        if (std::stoi(row[1]) != completed || std::stoi(row[4]) != cancelled ||
            std::stoi(row[2]) > compensated) {
            fault(fmt::format("{} was completed {} times, compensated {}, cancelled {}; its events "
                              "say {}, {}, {}",
                              row[0], row[1], row[2], row[4], completed, compensated, cancelled));
        }
    }
}

} // namespace

Verdict judge(Sql& sql, const Services::Account& outside, const Producers::Book& book,
              std::uint64_t seed)
{
    return Judgement(sql, outside, book, seed).reach();
}

} // namespace sagabox::torture
