#include "tests/sim/scenario.hpp"

#include "tests/sim/dice.hpp"
#include "tests/sim/invariants.hpp"
#include "tests/sim/worker.hpp"
#include "tests/sim/world.hpp"
#include "json/value.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace sagabox::sim {

namespace {

using namespace std::chrono_literals;

constexpr auto lease_duration = 5s;
constexpr int most_ticks = 20'000;
constexpr int ticks_between_audits = 61;

class Scenario {
public:
    Scenario(const core::Plan& plan, Dice& dice, Trace& trace, Fencing fencing)
        : dice_(dice), plan_(plan), trace_(trace),
          database_(dice.chance(750) ? Ordering::aggregate : Ordering::none, fencing,
                    lease_duration),
          world_(dice, plan), invariants_(plan, database_, world_)
    {
        database_.now = {1'800'000'000s};
    }

    Tally run();

private:
    /// Something that happens at a tick: an event of this type is emitted.
    struct Emission {
        int tick;
        std::string aggregate;
        std::string type;
        bool for_later;
    };

    void write_agenda();
    void emit(const Emission& emission);
    [[nodiscard]] json::Value payloads();
    void disturb(Worker& worker);
    void person_acts();
    [[nodiscard]] bool epilogue();
    void one_tick();
    [[nodiscard]] bool quiet() const;
    [[nodiscard]] bool pass_idle_time();
    [[nodiscard]] Tally tally() const;
    void note(const std::string& what);

    Dice& dice_;
    const core::Plan& plan_;
    Trace& trace_;
    Database database_;
    World world_;
    Invariants invariants_;
    std::vector<Worker> workers_;
    std::vector<Emission> agenda_; ///< latest first
    int trouble_until_ = 0;
    int deaths_ = 0; ///< in a thousand steps; the same unit below
    int stops_ = 0;
    int hand_backs_ = 0;
    int person_ = 0;
    int epilogues_ = 0;
    Faults faults_;
};

void Scenario::note(const std::string& what)
{
    if (trace_.on()) {
        trace_.note("t=" + std::to_string(database_.now.since_epoch.count() / 1000) + "ms " + what);
    }
}

void Scenario::write_agenda()
{
    std::vector<std::string> types{"A", "A", "A", "B", "d0"};
    if (!plan_.fanouts.contains("B")) {
        types[3] = "A";
    }
    const int aggregates = dice_.between(1, 2);
    const int count = dice_.between(1, 4);
    for (int i = 0; i < count; ++i) {
        const std::string aggregate = "order-" + std::to_string(dice_.between(1, aggregates));
        const std::string type = dice_.chance(20) ? std::string(unknown_type) : dice_.pick(types);
        const int tick = dice_.between(0, 60);
        agenda_.push_back({tick, aggregate, type, dice_.chance(80)});
        if (dice_.chance(250)) {
            agenda_.push_back({tick + dice_.between(0, 120), aggregate, "!" + type, false});
            if (dice_.chance(250)) {
                agenda_.push_back({tick + dice_.between(0, 160), aggregate, "!" + type, false});
            }
        }
    }
    std::stable_sort(agenda_.begin(), agenda_.end(),
                     [](const Emission& a, const Emission& b) { return a.tick > b.tick; });
}

json::Value Scenario::payloads()
{
    if (dice_.chance(5)) {
        return json::Value("not an object");
    }
    static const char* const kinds[] = {"a", "b", "c"};
    json::Object all;
    const std::string id = std::to_string(database_.events().size() + 1);
    for (const auto& [name, destination] : plan_.destinations) {
        if (dice_.chance(60)) {
            continue;
        }
        const std::string ref = "ref-" + id + "-" + name;
        json::Object body;
        body.set("kind", json::Value(kinds[dice_.below(3)]));
        if (!dice_.chance(30)) {
            body.set("ref", json::Value(ref));
        }
        if (!dice_.chance(30)) {
            body.set("amount", json::Value(json::Number{"12.10"}));
        }
        json::Object path_params;
        if (!dice_.chance(30)) {
            path_params.set("ref", json::Value(ref));
        }
        json::Object envelope;
        envelope.set("payload", json::Value(std::move(body)));
        envelope.set("pathParams", json::Value(std::move(path_params)));
        all.set(name, json::Value(std::move(envelope)));
    }
    return json::Value(std::move(all));
}

void Scenario::emit(const Emission& emission)
{
    std::optional<DbTime> not_before;
    if (emission.for_later) {
        not_before = database_.now + std::chrono::milliseconds(dice_.between(100, 20'000));
    }
    const std::size_t index =
        database_.emit(emission.aggregate, emission.type, payloads(), not_before);
    note("emitted: event " + std::to_string(index + 1) + " " + emission.type + " of " +
         emission.aggregate + (not_before ? " for later " : " ") +
         json::write(database_.events()[index].event.payloads));
}

void Scenario::person_acts()
{
    if (!database_.letters().empty() && dice_.chance(700)) {
        const std::size_t letter = dice_.below(database_.letters().size());
        if (database_.resume_letter(letter)) {
            note("a person resumes letter " + std::to_string(letter + 1));
        }
    }
    if (!database_.events().empty()) {
        const std::size_t event = dice_.below(database_.events().size());
        if (database_.events()[event].event.run < 3 && database_.run_again(event)) {
            note("a person runs event " + std::to_string(event + 1) + " again");
        }
    }
}

void Scenario::disturb(Worker& worker)
{
    if (dice_.chance(deaths_)) {
        worker.die();
    } else if (dice_.chance(stops_)) {
        worker.stopped_until =
            database_.now + std::chrono::milliseconds(dice_.between(1'000, 15'000));
    } else if (dice_.chance(hand_backs_)) {
        worker.hand_back();
    }
}

void Scenario::one_tick()
{
    ++database_.tick;
    database_.now = database_.now + std::chrono::milliseconds(dice_.between(0, 250));
    while (!agenda_.empty() && agenda_.back().tick <= database_.tick) {
        emit(agenda_.back());
        agenda_.pop_back();
    }
    const bool trouble = database_.tick < trouble_until_;
    if (trouble && dice_.chance(person_)) {
        person_acts();
    }
    Worker& worker = workers_[dice_.below(workers_.size())];
    if (worker.stopped_until <= database_.now) {
        if (trouble) {
            disturb(worker);
        }
        if (worker.stopped_until <= database_.now) {
            worker.step(dice_, trouble ? faults_ : Faults{});
        }
        if (trouble) {
            disturb(worker);
        }
    }
    for (Worker& other : workers_) {
        if (other.stopped_until <= database_.now && (!trouble || dice_.chance(800))) {
            other.heartbeat();
        }
    }
}

bool Scenario::quiet() const
{
    return database_.claimable().empty() &&
           std::none_of(workers_.begin(), workers_.end(), [this](const Worker& worker) {
               return worker.busy() && worker.stopped_until <= database_.now;
           });
}

/// Lets the clock jump to where something happens again; false when nothing ever will.
bool Scenario::pass_idle_time()
{
    std::optional<DbTime> next = database_.next_moment();
    for (const Worker& worker : workers_) {
        if (worker.busy() && worker.stopped_until > database_.now &&
            (!next || worker.stopped_until < *next)) {
            next = worker.stopped_until;
        }
    }
    if (next) {
        database_.now = *next;
        return true;
    }
    return !agenda_.empty();
}

/// All has ended. A person may look at what went wrong, and another cancel may come.
bool Scenario::epilogue()
{
    if (epilogues_ == 3 || !dice_.chance(400)) {
        return false;
    }
    ++epilogues_;
    const bool any_open = dice_.chance(300);
    if (any_open && !database_.events().empty()) {
        const core::Event& event = database_.events()[dice_.below(database_.events().size())].event;
        if (!core::is_cancellation(event.type)) {
            emit({0, event.aggregate_id, "!" + event.type, false});
        }
    } else {
        person_acts();
        person_acts();
    }
    trouble_until_ = dice_.chance(500) ? database_.tick + 60 : 0;
    return true;
}

Tally Scenario::run()
{
    write_agenda();
    static constexpr int death_rates[] = {0, 0, 10, 40, 150};
    static constexpr int stop_rates[] = {0, 0, 10, 40};
    deaths_ = death_rates[dice_.below(std::size(death_rates))];
    stops_ = stop_rates[dice_.below(std::size(stop_rates))];
    hand_backs_ = dice_.chance(300) ? 20 : 0;
    person_ = dice_.chance(300) ? 30 : 0;
    faults_.database_away = dice_.chance(200) ? 200 : 0;
    faults_.outcome_refused = dice_.chance(200) ? 200 : 0;
    trouble_until_ = dice_.between(0, 250);
    const int count = dice_.between(1, 3);
    for (int i = 0; i < count; ++i) {
        workers_.emplace_back("worker " + std::to_string(i + 1),
                              Surroundings{plan_, database_, world_, invariants_, trace_});
    }
    for (;;) {
        one_tick();
        if (database_.tick % ticks_between_audits == 0) {
            invariants_.nothing_for_an_audit();
        }
        if (database_.tick > most_ticks) {
            invariants_.still_running();
        }
        if (quiet() && !pass_idle_time()) {
            invariants_.at_the_end();
            if (!epilogue()) {
                break;
            }
        }
    }
    return tally();
}

Tally Scenario::tally() const
{
    Tally tally;
    for (const EventRow& row : database_.events()) {
        ++tally.sagas;
        tally.completed +=
            row.event.status == core::EventStatus::PROCESSED && !row.moved_to_dlq ? 1 : 0;
        tally.cancelled += row.event.status == core::EventStatus::CANCELLED ? 1 : 0;
        tally.lost_workers += row.lost_workers;
    }
    for (const LetterRow& letter : database_.letters()) {
        tally.compensated += letter.status == core::LetterStatus::PROCESSED ? 1 : 0;
        tally.needing_a_person += letter.status == core::LetterStatus::FAILED ? 1 : 0;
        tally.lost_workers += letter.lost_workers;
    }
    for (const Ledger& ledger : world_.ledgers()) {
        tally.calls += ledger.forward_arrivals + ledger.revert_arrivals;
    }
    return tally;
}

} // namespace

Tally run_scenario(PlanPool& plans, std::uint64_t seed, Trace& trace, Fencing fencing)
{
    Dice dice(seed);
    const core::Plan& plan = plans.plan(dice.below(PlanPool::size));
    return Scenario(plan, dice, trace, fencing).run();
}

} // namespace sagabox::sim
