#include "engine/carrier.hpp"

#include "base/failpoint.hpp"
#include "base/log.hpp"
#include "engine/settlement.hpp"
#include "engine/wire.hpp"
#include "store/history.hpp"

#include <utility>
#include <variant>

namespace sagabox::engine {

namespace {

constexpr std::chrono::seconds statement_deadline{30};
constexpr std::chrono::milliseconds lease_recheck{200};

/// Whether an action leaves this machine: only then must what came before be written down first.
bool calls_out(const core::Action& action)
{
    return std::holds_alternative<core::MakeCall>(action) ||
           std::holds_alternative<core::SendMail>(action);
}

bool cancel_waits(const core::Saga& saga)
{
    const auto* forward = std::get_if<core::Forward>(&saga.errand);
    return forward != nullptr && forward->cancel_waiting;
}

core::Answer cut_by_stop(std::chrono::milliseconds duration)
{
    core::Answer answer;
    answer.delivery = core::Answer::Delivery::unanswered;
    answer.error = "the relay stopped before the answer came";
    answer.duration = duration;
    return answer;
}

} // namespace

struct Carrier::Run {
    core::Saga saga;
    store::Lease lease;
    std::shared_ptr<LeaseState> lease_state;
    std::vector<core::StepResult> unwritten;
    bool had_deaths = false;
    bool untold = false; ///< the last of `unwritten` has not been told to the watcher
    bool waited = false; ///< it was due: no call was made since it came back from waiting

    /// Puts a row where `decide` looks for it: a revert's, with the event that it undoes.
    void remember(core::StepResult row)
    {
        core::History* history = &saga.own;
        if (auto* cancellation = std::get_if<core::Cancellation>(&saga.errand)) {
            for (core::History& target : cancellation->targets) {
                if (target.event.id == row.event_id) {
                    history = &target;
                }
            }
        }
        history->results.push_back(row);
        unwritten.push_back(std::move(row));
        untold = true;
        // Something can be written down now, so the workers lost before no longer count; what they
        // may have done is in the row.
        if (auto* letter = std::get_if<core::Compensation>(&saga.errand)) {
            letter->deaths = 0;
        } else {
            saga.own.event.deaths = 0;
        }
    }
};

struct Carrier::CallState {
    std::optional<transport::HttpAnswer> answer; ///< none: the call was abandoned
    std::optional<core::MailAnswer> mail;        ///< the same, of a try to send mail
    Signal done;
};

/// Tells who waits for a call that it is over, also when it was cut before it had begun.
struct Carrier::CallEnd {
    explicit CallEnd(std::shared_ptr<CallState> of) : state(std::move(of)) {}
    CallEnd(CallEnd&&) = default;
    CallEnd& operator=(CallEnd&&) = delete;
    ~CallEnd()
    {
        if (state) {
            state->done.set();
        }
    }
    std::shared_ptr<CallState> state;
};

Carrier::Carrier(Executor executor, Parts parts, WhenEnded when_ended)
    : parts_(parts), when_ended_(std::move(when_ended)), calls_(std::move(executor), "calls")
{
}

Task<void> Carrier::carry(store::Held held, Instant claimed_at)
{
    Run run;
    run.saga = std::move(held.saga);
    run.lease = held.lease;
    run.waited = held.waited;
    run.lease_state = parts_.leases.keep(held.lease, claimed_at);
    const auto* letter = std::get_if<core::Compensation>(&run.saga.errand);
    run.had_deaths = (letter != nullptr ? letter->deaths : run.saga.own.event.deaths) > 0;

    bool going = true;
    while (going) {
        const std::shared_ptr<const core::Plan> plan = parts_.plans.current();
        if (auto* forward = std::get_if<core::Forward>(&run.saga.errand); forward && plan->mail) {
            forward->left_out = parts_.mailer.left_out();
        }
        core::Action action = core::decide(*plan, run.saga, parts_.clock.now());
        narrate_step(run, action);
        if (calls_out(action)) {
            // What was done is written down before anything else is done; and what is learnt in
            // writing it, a cancel that waits, may change what comes next.
            if (!run.unwritten.empty()) {
                going = co_await write_rows(run);
                const bool learnt = cancel_waits(run.saga) || parts_.plans.current() != plan;
                if (!going || learnt) {
                    continue;
                }
            }
            if (draining_) {
                going = co_await settle(run, std::move(action));
                continue;
            }
            going = co_await wait_until_fresh(run);
            if (going && !draining_) {
                going = co_await call_out(run, std::move(action));
            }
        } else if (auto* skip = std::get_if<core::SkipStep>(&action)) {
            skip->row.published_at = parts_.clock.now();
            run.remember(std::move(skip->row));
        } else if (auto* waiting = std::get_if<core::CancelWaiting>(&action)) {
            std::vector<EventId> events = std::move(waiting->events);
            co_await cancel_waiting(run, std::move(events));
        } else {
            going = co_await settle(run, std::move(action));
        }
    }
    parts_.leases.release(run.lease);
}

void Carrier::narrate_step(Run& run, const core::Action& next)
{
    if (run.untold) {
        parts_.watcher.step(run.saga, run.unwritten.back(), next);
        run.untold = false;
    }
}

Task<bool> Carrier::wait_until_fresh(Run& run)
{
    while (!parts_.leases.fresh(*run.lease_state) && !run.lease_state->lost && !draining_) {
        const Instant again = std::chrono::steady_clock::now() + lease_recheck;
        co_await sleep_until(again);
    }
    if (run.lease_state->lost) {
        parts_.watcher.lease_lost(run.saga);
    }
    co_return !run.lease_state->lost;
}

Task<bool> Carrier::call_out(Run& run, core::Action action)
{
    if (auto* mail = std::get_if<core::SendMail>(&action)) {
        core::SendMail to_send = std::move(*mail);
        co_return co_await send_mail(run, std::move(to_send));
    }
    core::Call to_make = std::move(std::get<core::MakeCall>(action).call);
    const std::shared_ptr<const core::Plan> plan = parts_.plans.current();
    const core::Destination* destination = plan->destination(to_make.row.destination);
    if (destination != nullptr && destination->limits) {
        co_return co_await call_within_limits(run, std::move(to_make), *destination->limits);
    }
    std::optional<Crowd::Place> place = parts_.gate.share_of(to_make.row.destination);
    if (!place) {
        co_return co_await call_within_share(run, std::move(to_make));
    }
    co_await make_call(run, std::move(to_make));
    co_return true;
}

/// Nothing: the call that the gate has answered is to be made now. Else whether the run goes on;
/// one whom the gate sends away waits in the database, at no retry's cost.
Task<std::optional<bool>> Carrier::held_back(Run& run, Gate::Answer& answer)
{
    if (auto* away = std::get_if<Gate::SentAway>(&answer)) {
        const auto* letter = std::get_if<core::Compensation>(&run.saga.errand);
        core::Wait wait;
        wait.until = parts_.clock.now() + away->back_in;
        wait.retry_count = letter != nullptr ? letter->retry_count : run.saga.own.event.retry_count;
        wait.why = std::move(away->why);
        core::Action later(std::move(wait));
        const bool going = co_await settle(run, std::move(later));
        co_return going;
    }
    if (std::holds_alternative<Gate::Closed>(answer)) {
        co_return true; // decided again, and handed back
    }
    const bool fresh = co_await wait_until_fresh(run);
    if (!fresh || draining_) {
        co_return fresh;
    }
    co_return std::nullopt;
}

Task<bool> Carrier::call_within_share(Run& run, core::Call call)
{
    std::string destination = call.row.destination;
    Gate::Answer answer = co_await parts_.gate.wait_for_share(std::move(destination));
    const std::optional<bool> instead = co_await held_back(run, answer);
    if (instead) {
        co_return *instead;
    }
    co_await make_call(run, std::move(call));
    co_return true;
}

Task<bool> Carrier::call_within_limits(Run& run, core::Call call, core::Limits limits)
{
    Gate::Ask ask;
    ask.destination = call.row.destination;
    ask.limits = limits;
    ask.waited = run.waited;
    Gate::Ask asked = ask;
    Gate::Answer answer = co_await parts_.gate.enter(std::move(asked));
    const std::optional<bool> instead = co_await held_back(run, answer);
    if (instead) {
        co_return *instead;
    }
    run.waited = false;
    co_await make_call(run, std::move(call));
    answer = Gate::Closed{}; // its place is free, whatever is written down next
    core::StepResult row = run.unwritten.back();
    co_await parts_.gate.called(std::move(ask), std::move(row));
    co_return true;
}

Task<void> Carrier::fetch(transport::HttpRequest request, CallEnd end)
{
    end.state->answer = co_await parts_.http.call(std::move(request));
}

Task<void> Carrier::make_call(Run& run, core::Call call)
{
    const Instant started = std::chrono::steady_clock::now();
    const auto state = std::make_shared<CallState>();
    transport::HttpRequest request = to_http(std::move(call.request), parts_.clock.now());
    CallEnd end(state);
    calls_.start(fetch(std::move(request), std::move(end)));
    const Deadline forever{Instant::max()};
    co_await state->done.wait(forever);
    failpoint::pass("after_call");

    const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - started);
    const core::Answer answer =
        state->answer ? to_answer(std::move(*state->answer)) : cut_by_stop(elapsed);
    const std::shared_ptr<const core::Plan> plan = parts_.plans.current();
    run.remember(core::record(call, answer, parts_.clock.now(), plan->max_retry_after));
}

Task<void> Carrier::deliver(Mailer::Ready ready, std::shared_ptr<const core::MailPlan> plan,
                            std::string provider, CallEnd end)
{
    end.state->mail =
        co_await parts_.mailer.deliver(std::move(ready), std::move(plan), std::move(provider));
}

Task<bool> Carrier::send_mail(Run& run, core::SendMail send)
{
    const std::shared_ptr<const core::Plan> plan = parts_.plans.current();
    const std::shared_ptr<const core::MailPlan> mail = plan->mail;
    const core::MailProvider* provider = mail ? mail->provider(send.mailing.provider) : nullptr;
    if (provider == nullptr) {
        co_return true; // a reload took it away: decide again
    }
    std::string key =
        core::idempotency_key(run.saga.own.event, core::mail_destination, core::Direction::forward);
    Mailer::Prepared prepared = co_await parts_.mailer.prepare(mail, send.mailing, std::move(key));
    if (std::holds_alternative<Mailer::NotNow>(prepared)) {
        co_return true;
    }
    core::MailAnswer answer;
    if (auto* unsendable = std::get_if<Mailer::Unsendable>(&prepared)) {
        answer.stage = core::MailAnswer::Stage::nothing;
        answer.error = std::move(unsendable->why);
    } else {
        // To fetch a large message takes a while.
        const bool fresh = co_await wait_until_fresh(run);
        if (!fresh || draining_) {
            co_return fresh;
        }
        auto ready = std::get<Mailer::Ready>(std::move(prepared));
        answer = co_await deliver_or_cut(std::move(ready), mail, provider->name);
    }
    core::StepResult row = core::record_mail(send.mailing, *provider, std::move(send.row), answer,
                                             parts_.clock.now(), plan->max_retry_after);
    core::StepResult copy = row;
    co_await parts_.mailer.tried(mail, std::move(copy), provider->name);
    run.remember(std::move(row));
    co_return true;
}

Task<core::MailAnswer> Carrier::deliver_or_cut(Mailer::Ready ready,
                                               std::shared_ptr<const core::MailPlan> plan,
                                               std::string provider)
{
    const Instant started = std::chrono::steady_clock::now();
    core::MailAnswer cut;
    for (const std::string& address : ready.recipients) {
        cut.recipients.push_back({address, {}});
    }
    const auto state = std::make_shared<CallState>();
    CallEnd end(state);
    calls_.start(deliver(std::move(ready), std::move(plan), std::move(provider), std::move(end)));
    const Deadline forever{Instant::max()};
    co_await state->done.wait(forever);
    if (state->mail) {
        co_return std::move(*state->mail);
    }
    // How far it had come is lost with it: it may have been taken.
    cut.stage = core::MailAnswer::Stage::final_dot;
    cut.error = "the relay stopped before the answer came";
    cut.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - started);
    co_return cut;
}

store::Entry Carrier::entry_for(const Run& run) const
{
    const core::Event& event = run.saga.own.event;
    store::Entry entry;
    entry.lease = run.lease;
    entry.event = event.id;
    entry.aggregate_id = event.aggregate_id;
    entry.event_type = event.type;
    entry.row_type = core::is_cancellation(event.type)
                         ? std::string(core::cancelled_type(event.type))
                         : event.type;
    entry.had_deaths = run.had_deaths;
    return entry;
}

Task<bool> Carrier::write_rows(Run& run)
{
    store::Entry entry = entry_for(run);
    entry.rows = std::exchange(run.unwritten, {});
    const store::Written written = co_await parts_.journal.write(std::move(entry));
    if (written.state == store::Written::State::lease_lost) {
        parts_.watcher.lease_lost(run.saga);
        co_return false;
    }
    failpoint::pass(std::holds_alternative<core::Forward>(run.saga.errand) ? "between_steps"
                                                                           : "between_reverts");
    parts_.clock.heard(written.now);
    run.had_deaths = false;
    if (auto* forward = std::get_if<core::Forward>(&run.saga.errand)) {
        forward->cancel_waiting = forward->cancel_waiting || written.cancel_waiting;
    }
    co_return true;
}

Task<bool> Carrier::settle(Run& run, core::Action last)
{
    const std::shared_ptr<const core::Plan> plan = parts_.plans.current();
    store::Entry entry = entry_for(run);
    const bool handed_back = calls_out(last);
    entry.settlement = handed_back ? store::Settlement(store::Released{})
                                   : *settlement_for(last, run.saga, parts_.clock.now());
    entry.outcome_sql = outcome_sql_for(last, run.saga, *plan);
    if (const auto* person = std::get_if<core::NeedsPerson>(&last)) {
        entry.outcome_reason = person->why;
    }
    // Only outcome SQL is ever refused; the rows are then written with what follows.
    if (entry.outcome_sql.empty()) {
        entry.rows = std::exchange(run.unwritten, {});
    } else {
        entry.rows = run.unwritten;
    }

    Ended ended;
    ended.aggregate_id = run.saga.own.event.aggregate_id;
    ended.letter = run.lease.on == store::Lease::On::letter;
    ended.left_letter = std::holds_alternative<core::GiveUp>(last);
    ended.frees_aggregate = !ended.left_letter && !handed_back;
    if (const auto* wait = std::get_if<store::Deferred>(&*entry.settlement)) {
        ended.due_in = wait->delay;
        // A cancel may have been seen behind us while we were at work: it overtakes who waits.
        ended.frees_aggregate = !ended.letter;
    }

    const store::Written written = co_await parts_.journal.write(std::move(entry));
    if (written.state == store::Written::State::lease_lost) {
        parts_.watcher.lease_lost(run.saga);
        co_return false;
    }
    if (written.state == store::Written::State::refused) {
        log::error("saga", "event {}: PostgreSQL refused the outcome SQL of {}: {}",
                   run.saga.own.event.id.value, run.saga.own.event.type, written.refusal);
        core::Action later =
            core::wait_after_refusal(*plan, run.saga, written.refusal, parts_.clock.now());
        co_return co_await settle(run, std::move(later));
    }
    parts_.clock.heard(written.now);
    if (!handed_back) {
        parts_.watcher.settled(run.saga, last);
    }
    when_ended_(ended);
    co_return false;
}

class Carrier::Turn {
public:
    explicit Turn(Carrier& carrier) : carrier_(carrier)
    {
        carrier_.session_taken_ = true;
        carrier_.session_free_.clear();
    }
    ~Turn()
    {
        carrier_.session_taken_ = false;
        carrier_.session_free_.set();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    Carrier& carrier_;
};

Task<void> Carrier::cancel_waiting(Run& run, std::vector<EventId> events)
{
    for (;;) {
        const bool done = co_await try_to_cancel(run, events);
        if (done) {
            co_return;
        }
        const Instant again = std::chrono::steady_clock::now() + lease_recheck;
        co_await sleep_until(again);
    }
}

Task<bool> Carrier::try_to_cancel(Run& run, const std::vector<EventId>& events)
{
    const Deadline forever{Instant::max()};
    while (session_taken_) {
        co_await session_free_.wait(forever);
    }
    const Turn turn(*this);
    pg::Connection* const connection = co_await parts_.session.get();
    const Deadline deadline = Deadline::after(statement_deadline);
    const Result<void> cancelled =
        co_await parts_.claims.cancel_waiting(*connection, events, deadline);
    if (!cancelled) {
        log::warning("saga", "event {}: waiting events could not be cancelled yet: {}",
                     run.saga.own.event.id.value, cancelled.error().text());
        co_return false;
    }
    // Whoever was quicker shows in what is read now: an event that a worker had just taken is
    // PROCESSING, and the cancel waits for it.
    std::vector<store::Held> reread(1);
    reread[0].saga = run.saga;
    reread[0].lease = run.lease;
    const Result<void> read = co_await store::load_histories(*connection, reread, deadline);
    if (!read) {
        co_return false;
    }
    run.saga = std::move(reread[0].saga);
    co_return true;
}

} // namespace sagabox::engine
