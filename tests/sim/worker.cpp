#include "tests/sim/worker.hpp"

#include <utility>

namespace sagabox::sim {

namespace {

/// A claim's work is a handful of calls; who decides this often is going round in circles.
constexpr int most_steps_of_a_claim = 400;

} // namespace

void Worker::note(const std::string& what) const
{
    if (!around_.trace.on()) {
        return;
    }
    std::string line =
        "t=" + std::to_string(around_.database.now.since_epoch.count() / 1000) + "ms " + name_;
    if (claim_) {
        line += std::string(claim_->lane == Claim::Lane::event ? " event " : " letter ") +
                std::to_string(claim_->row + 1) + "#" + std::to_string(claim_->claim_no);
    }
    around_.trace.note(line + ": " + what);
}

void Worker::let_go()
{
    at_ = At::idle;
    claim_.reset();
    unflushed_.clear();
    call_.reset();
    saga_ = core::Saga{};
    steps_ = 0;
}

void Worker::die()
{
    note("dies");
    let_go();
}

void Worker::hand_back()
{
    if (!claim_ || at_ == At::answered) {
        return;
    }
    note("hands back");
    const bool applied = around_.database.flush(*claim_, unflushed_, HandBack{}).applied;
    around_.invariants.after_write(*claim_, applied);
    let_go();
}

void Worker::heartbeat()
{
    if (claim_ && !around_.database.renew(*claim_)) {
        note("learns that its lease is lost");
        let_go();
    }
}

void Worker::step(Dice& dice, const Faults& faults)
{
    const bool writes = at_ == At::flushing || at_ == At::cancelling || at_ == At::settling;
    if (writes && dice.chance(faults.database_away)) {
        note("can't reach the database");
        return;
    }
    switch (at_) {
    case At::idle:
        return take(dice);
    case At::deciding:
        return decide();
    case At::flushing:
        return flush_rows();
    case At::calling:
        return call();
    case At::answered:
        return take_down_answer();
    case At::cancelling:
        return cancel_waiting();
    case At::settling:
        return settle(dice, faults);
    }
}

void Worker::take(Dice& dice)
{
    const std::vector<Claim> candidates = around_.database.claimable();
    if (candidates.empty()) {
        return;
    }
    claim_ = around_.database.take(dice.pick(candidates));
    around_.invariants.after_claim(*claim_);
    saga_ = around_.database.load(*claim_);
    at_ = At::deciding;
    note("claims");
}

void Worker::join(core::StepResult row)
{
    // Written down or about to be: what is known of this step no longer ends with a lost worker.
    if (auto* letter = std::get_if<core::Compensation>(&saga_.errand)) {
        letter->deaths = 0;
    } else {
        saga_.own.event.deaths = 0;
    }
    unflushed_.push_back(row);
    if (auto* cancellation = std::get_if<core::Cancellation>(&saga_.errand)) {
        for (core::History& target : cancellation->targets) {
            if (target.event.id == row.event_id) {
                target.results.push_back(std::move(row));
                return;
            }
        }
    }
    saga_.own.results.push_back(std::move(row));
}

void Worker::decide()
{
    around_.invariants.after_decisions(*claim_, ++steps_, most_steps_of_a_claim);
    const DbTime now = around_.database.now;
    core::Action action = core::decide(around_.plan, saga_, now);
    if (around_.trace.on()) {
        note(core::describe(action));
    }
    if (auto* make = std::get_if<core::MakeCall>(&action)) {
        call_ = std::move(make->call);
        at_ = unflushed_.empty() ? At::calling : At::flushing;
    } else if (auto* skip = std::get_if<core::SkipStep>(&action)) {
        skip->row.published_at = now;
        join(std::move(skip->row));
    } else if (auto* waiting = std::get_if<core::CancelWaiting>(&action)) {
        to_cancel_ = std::move(waiting->events);
        at_ = At::cancelling;
    } else {
        if (const auto* wait = std::get_if<core::Wait>(&action)) {
            around_.invariants.before_wait(*claim_, *wait);
            change_ = *wait;
        } else if (std::holds_alternative<core::Finish>(action)) {
            change_ = core::Finish{};
        } else if (const auto* give_up = std::get_if<core::GiveUp>(&action)) {
            change_ = *give_up;
        } else if (const auto* person = std::get_if<core::NeedsPerson>(&action)) {
            change_ = *person;
        } else {
            change_ = core::StopForCancel{};
        }
        at_ = At::settling;
    }
}

void Worker::flush_rows()
{
    const Flushed flushed = around_.database.flush(*claim_, unflushed_, std::monostate{});
    around_.invariants.after_write(*claim_, flushed.applied);
    if (!flushed.applied) {
        note("finds its lease lost");
        return let_go();
    }
    unflushed_.clear();
    if (auto* forward = std::get_if<core::Forward>(&saga_.errand)) {
        forward->cancel_waiting = flushed.cancel_waiting;
    }
    // Decided anew: a cancel may have come to light, and the call may no longer be wanted.
    call_.reset();
    at_ = At::deciding;
}

void Worker::call()
{
    const Holder holder = around_.database.holds(*claim_) ? Holder::entitled : Holder::stale;
    around_.invariants.before_call(*claim_, *call_, holder);
    answer_ = around_.world.receive(*call_, holder);
    around_.invariants.after_call(*call_);
    if (around_.trace.on()) {
        note(std::string(holder == Holder::stale ? "calls without a lease, " : "calls, ") +
             "answer " + std::to_string(answer_.status) + " " + answer_.error + ", standing " +
             std::to_string(
                 around_.world.ledger(call_->row.event_id, call_->row.destination, call_->row.run)
                     .standing));
    }
    at_ = At::answered;
}

void Worker::take_down_answer()
{
    join(core::record(*call_, answer_, around_.database.now, around_.plan.max_retry_after));
    call_.reset();
    at_ = At::deciding;
}

void Worker::cancel_waiting()
{
    // What is known goes down first: the targets are about to be read again.
    const bool applied = around_.database.flush(*claim_, unflushed_, std::monostate{}).applied &&
                         around_.database.cancel_waiting(*claim_, to_cancel_);
    around_.invariants.after_write(*claim_, applied);
    if (!applied) {
        return let_go();
    }
    unflushed_.clear();
    auto& cancellation = std::get<core::Cancellation>(saga_.errand);
    cancellation.targets = around_.database.targets_of(claim_->row);
    at_ = At::deciding;
}

void Worker::settle(Dice& dice, const Faults& faults)
{
    const bool ends = !std::holds_alternative<core::Wait>(change_);
    if (ends && dice.chance(faults.outcome_refused)) {
        change_ = core::wait_after_refusal(around_.plan, saga_, "refused", around_.database.now);
        around_.invariants.before_wait(*claim_, std::get<core::Wait>(change_));
        note("its outcome SQL is refused");
    }
    const bool applied = around_.database.flush(*claim_, unflushed_, change_).applied;
    around_.invariants.after_write(*claim_, applied);
    if (!applied) {
        note("finds its lease lost");
    }
    let_go();
}

} // namespace sagabox::sim
