#pragma once

#include "core/call.hpp"
#include "core/decide.hpp"
#include "tests/sim/database.hpp"
#include "tests/sim/invariants.hpp"
#include "tests/sim/trace.hpp"
#include "tests/sim/world.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sagabox::sim {

/// Everything that a simulated worker touches.
struct Surroundings {
    const core::Plan& plan;
    Database& database;
    World& world;
    Invariants& invariants;
    Trace& trace;
};

/// What may go wrong within a step, in a thousand.
struct Faults {
    int database_away = 0;   ///< a flush doesn't get through, and is tried again
    int outcome_refused = 0; ///< PostgreSQL refuses the outcome SQL that was to end the saga
};

/// The engine's loop round `decide`, cut into steps between which anything may happen: the clock
/// goes on, another worker acts, this one dies or is stopped.
class Worker {
public:
    Worker(std::string name, Surroundings around) : name_(std::move(name)), around_(around) {}

    /// Does one thing: takes a claim, decides, flushes, makes a call, or reads its answer.
    void step(Dice& dice, const Faults& faults);

    /// All that it knew is gone; the lease stays until it expires.
    void die();

    /// Writes what it has and gives its claim back, unless a call is under way.
    void hand_back();

    /// Renews the lease. A loss that it learns of in this way makes it drop the saga.
    void heartbeat();

    [[nodiscard]] bool busy() const { return at_ != At::idle; }
    [[nodiscard]] const std::optional<Claim>& claim() const { return claim_; }

    DbTime stopped_until; ///< no step and no heartbeat before this time

private:
    enum class At { idle, deciding, flushing, calling, answered, cancelling, settling };

    void take(Dice& dice);
    void decide();
    void flush_rows();
    void call();
    void take_down_answer();
    void cancel_waiting();
    void settle(Dice& dice, const Faults& faults);
    void join(core::StepResult row);
    void let_go();
    void note(const std::string& what) const;

    std::string name_;
    Surroundings around_;

    At at_ = At::idle;
    std::optional<Claim> claim_;
    core::Saga saga_;
    std::vector<core::StepResult> unflushed_;
    std::optional<core::Call> call_;
    core::Answer answer_;
    std::vector<EventId> to_cancel_;
    Change change_;
    int steps_ = 0;
};

} // namespace sagabox::sim
