#pragma once

#include "core/call.hpp"
#include "core/decide.hpp"
#include "tests/sim/database.hpp"
#include "tests/sim/world.hpp"

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sagabox::sim {

/// A promise of the contract that did not hold.
class Broken : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Everything that must hold whatever happens, in one place, each as a sentence.
///
/// Looks only at the rows, at the outside world and at what is about to be called, never into
/// `decide`: it has its own reading of the contract, so that one mistake is not made on both sides.
class Invariants {
public:
    Invariants(const core::Plan& plan, const Database& database, World& world)
        : plan_(plan), database_(database), world_(world)
    {
    }

    void after_claim(const Claim& claim);
    void after_write(const Claim& claim, bool applied) const;
    void after_decisions(const Claim& claim, int decisions, int most) const;
    void before_wait(const Claim& claim, const core::Wait& wait) const;
    void before_call(const Claim& claim, const core::Call& call, Holder holder);
    void after_call(const core::Call& call);

    /// Holds at any moment: an audit reads the tables while relays work.
    void nothing_for_an_audit() const;

    /// All is quiet: nothing is due and nothing will be.
    void at_the_end() const;

    /// The simulation ran far longer than what it was given to do can take.
    [[noreturn]] void still_running() const;

private:
    struct Holding {
        int claim_no = 0;
        DbTime since;
    };

    [[nodiscard]] const EventRow& event(EventId id) const;
    [[nodiscard]] std::vector<std::string> fan_out(const core::Event& event) const;
    [[nodiscard]] const core::Route* route_of(const std::string& destination, int route) const;
    [[nodiscard]] const core::StepResult* success(const EventRow& row,
                                                  const std::string& destination, int run) const;
    /// A success of this run or, where a step can't be undone, of a run before it: it stands, and
    /// is not to be repeated under another key.
    [[nodiscard]] const core::StepResult* standing_success(const EventRow& row,
                                                           const std::string& destination) const;
    [[nodiscard]] const core::StepResult* undoing(const EventRow& row,
                                                  const std::string& destination, int run) const;
    [[nodiscard]] bool in_doubt(const EventRow& row, const std::string& destination, int run) const;
    [[nodiscard]] const core::StepResult* standing_success_after(const EventRow& row,
                                                                 std::int64_t result_id) const;

    void same_request_under_the_same_key(const core::Call& call);
    void before_forward(const Claim& claim, const core::Call& call) const;
    void before_revert(const Claim& claim, const core::Call& call);
    void revert_names_what_the_step_made(const core::Call& call);
    void doubtful_steps_first(const EventRow& row, const core::StepResult& revert) const;
    void within_attempts(const core::Call& call, int retries) const;
    void in_order(const Claim& claim, const core::Call& call) const;

    void completed(const EventRow& row) const;
    void reverts_in_reverse(const EventRow& row) const;
    void letter_ended(const LetterRow& letter) const;
    void reason_fits(const LetterRow& letter, const EventRow& row) const;
    void doubts_named(const LetterRow& letter) const;
    void effects_accounted_for() const;
    void arrivals_within_bounds() const;

    const core::Plan& plan_;
    const Database& database_;
    World& world_;
    std::map<std::pair<Claim::Lane, std::size_t>, Holding> holders_;
};

} // namespace sagabox::sim
