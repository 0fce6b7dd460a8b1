#include "engine/gate.hpp"

#include "base/log.hpp"
#include "core/mail.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <asio/post.hpp>
#include <fmt/format.h>

namespace sagabox::engine {

namespace {

constexpr std::chrono::seconds statement_deadline{10};
constexpr std::chrono::milliseconds pause_after_fault{200};

/// Who can leave within this waits here, under a lease; who can't is sent away.
constexpr std::chrono::milliseconds horizon{500};

/// How old what we know of a destination may be.
constexpr std::chrono::seconds look_interval{1};

/// Those who come back to one without a rate are spread, so that they do not all come at once.
constexpr std::chrono::microseconds usual_gap{500};

constexpr std::chrono::microseconds longest_way_back = std::chrono::minutes(10);

constexpr int too_many_requests = 429;
constexpr int unavailable = 503;

core::Health health_of(const core::StepResult& row)
{
    switch (row.outcome) {
    case core::Outcome::succeeded:
    case core::Outcome::rejected:
        return core::Health::good;
    case core::Outcome::failed:
    case core::Outcome::unknown:
        return row.response_status == too_many_requests ? core::Health::silent : core::Health::bad;
    case core::Outcome::skipped:
        break;
    }
    return core::Health::silent;
}

std::chrono::microseconds gap_of(const core::Limits& limits)
{
    constexpr double second = 1'000'000;
    return std::chrono::microseconds(
        limits.rate_per_second ? std::llround(second / *limits.rate_per_second) : 0);
}

std::string reason(const std::string& destination, const store::PassAnswer& answer)
{
    if (answer.shut_for.count() == 0) {
        return fmt::format("{} is called as often as ratePerSecond allows", destination);
    }
    const bool open = answer.open_until && *answer.open_until > answer.now;
    return fmt::format("{} {}: {}", destination,
                       open ? "is left alone after failures" : "asked not to be called for now",
                       answer.why);
}

} // namespace

/// Stands in the frame of the task that waits for its answer, and leaves the line with it.
struct Gate::Wanting {
    Wanting(Ask a, Door& d) : ask(std::move(a)), door(d) { door.line.push_back(this); }
    ~Wanting()
    {
        std::erase(door.line, this);
        std::erase(door.asking, this);
    }
    Wanting(const Wanting&) = delete;
    Wanting& operator=(const Wanting&) = delete;

    Ask ask;
    Door& door;
    std::optional<Instant> leaves_at; ///< granted
    std::optional<SentAway> sent_away;
    Signal answered;
};

/// One in line for a place. A task that is cancelled while it waits leaves the line, and gives back
/// a place that it was given: nobody may wake a worker that has ended.
struct Gate::InLine {
    InLine(Crowd& c, std::string d) : crowd(c), destination(std::move(d)) {}
    ~InLine() { static_cast<void>(crowd.stop_waiting(destination, waiter)); }
    InLine(const InLine&) = delete;
    InLine& operator=(const InLine&) = delete;

    Crowd& crowd;
    std::string destination;
    std::shared_ptr<Crowd::Waiter> waiter = std::make_shared<Crowd::Waiter>();
};

/// The use of the connection, one statement at a time.
class Gate::Turn {
public:
    explicit Turn(Gate& gate) : gate_(&gate)
    {
        gate_->session_taken_ = true;
        gate_->session_free_.clear();
    }
    ~Turn()
    {
        if (gate_ != nullptr) {
            gate_->session_taken_ = false;
            gate_->session_free_.set();
        }
    }
    Turn(Turn&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Turn& operator=(Turn&&) = delete;
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    Gate* gate_;
};

Gate::Gate(Executor executor, pg::Options database, const std::string& purpose, Crowd& crowd,
           DbClock& clock, int share)
    : session_(executor, std::move(database), purpose), crowd_(crowd), clock_(clock), share_(share),
      executor_(executor), serving_(std::move(executor), purpose)
{
}

Gate::~Gate() = default;

void Gate::drain()
{
    draining_ = true;
    for (auto& [name, door] : doors_) {
        for (std::deque<Wanting*>* some : {&door.line, &door.asking}) {
            for (Wanting* one : *some) {
                one->answered.set();
            }
            some->clear();
        }
    }
}

Task<void> Gate::close()
{
    serving_.cancel();
    const Deadline forever{Instant::max()};
    co_await serving_.join(forever);
    session_.close();
}

Task<Gate::Turn> Gate::take_turn()
{
    const Deadline forever{Instant::max()};
    while (session_taken_) {
        co_await session_free_.wait(forever);
    }
    co_return Turn(*this);
}

Task<Gate::Answer> Gate::enter(Ask ask)
{
    std::optional<Crowd::Place> place;
    if (ask.limits.max_concurrent) {
        place = co_await find_place(ask.destination, *ask.limits.max_concurrent);
        if (!place && !draining_) {
            const std::chrono::microseconds back_in =
                crowd_.come_back_in(ask.destination, *ask.limits.max_concurrent, horizon);
            co_return SentAway{back_in, fmt::format("{} has as many calls under way as "
                                                    "maxConcurrent allows",
                                                    ask.destination)};
        }
    }
    if (draining_) {
        co_return Closed{};
    }
    if (may_go_unasked(ask)) {
        co_return Pass{std::move(place)};
    }
    co_return co_await ask_for_moment(std::move(ask), std::move(place));
}

std::optional<Crowd::Place> Gate::share_of(const std::string& destination)
{
    return crowd_.enter(destination, share_);
}

Task<Gate::Answer> Gate::wait_for_share(std::string destination)
{
    std::optional<Crowd::Place> place;
    // In line it would take room from the others, and where calls hang, for nothing.
    if (!crowd_.stands_still(destination, horizon)) {
        place = co_await find_place(destination, share_);
    }
    if (draining_) {
        co_return Closed{};
    }
    if (!place) {
        const std::chrono::microseconds back_in = crowd_.come_back_in(destination, share_, horizon);
        co_return SentAway{back_in,
                           fmt::format("{} has {} calls under way, its share of maxInFlight; "
                                       "limits.maxConcurrent gives it another",
                                       destination, share_)};
    }
    co_return Pass{std::move(place)};
}

Task<std::optional<Crowd::Place>> Gate::find_place(const std::string& destination, int capacity)
{
    std::optional<Crowd::Place> place = crowd_.enter(destination, capacity);
    if (place || draining_) {
        co_return place;
    }
    const auto given = std::make_shared<Signal>();
    InLine in_line(crowd_, destination);
    in_line.waiter->wake = [executor = executor_, given] {
        asio::post(executor, [given] { given->set(); });
    };
    if (!crowd_.wait(destination, capacity, in_line.waiter)) {
        co_return std::nullopt;
    }
    const Deadline soon = Deadline::after(horizon);
    co_await given->wait(soon);
    co_return crowd_.stop_waiting(destination, in_line.waiter);
}

/// Without a rate, the database is asked now and then whether others have found the destination
/// down.
bool Gate::may_go_unasked(const Ask& ask)
{
    const Door& door = doors_[ask.destination];
    return !ask.limits.rate_per_second && door.line.empty() && door.looked_at &&
           std::chrono::steady_clock::now() - *door.looked_at < look_interval &&
           (!door.shut_until || *door.shut_until <= clock_.now()) &&
           !breakers_.needs_probe(ask.destination);
}

Task<Gate::Answer> Gate::ask_for_moment(Ask ask, std::optional<Crowd::Place> place)
{
    const std::string destination = ask.destination;
    Door& door = doors_[destination];
    Wanting wanting(std::move(ask), door);
    if (!std::exchange(door.served, true)) {
        serving_.start(serve(destination));
    }
    const Deadline forever{Instant::max()};
    co_await wanting.answered.wait(forever);
    if (wanting.sent_away) {
        co_return std::move(*wanting.sent_away);
    }
    if (wanting.leaves_at && *wanting.leaves_at > std::chrono::steady_clock::now()) {
        co_await sleep_until(*wanting.leaves_at);
    }
    if (draining_ || !wanting.leaves_at) {
        co_return Closed{};
    }
    co_return Pass{std::move(place)};
}

Task<void> Gate::serve(std::string destination)
{
    Door& door = doors_[destination];
    while (!door.line.empty()) {
        const Result<void> served = co_await serve_once(destination);
        if (!served && !door.line.empty()) {
            log::warning("gate",
                         "{}: the database could not be asked yet whether it may be "
                         "called: {}",
                         destination, served.error().text());
            const Instant again = std::chrono::steady_clock::now() + pause_after_fault;
            co_await sleep_until(again);
        }
    }
    door.served = false;
}

Task<Result<void>> Gate::serve_once(std::string destination)
{
    Door& door = doors_[destination];
    const Turn turn = co_await take_turn();
    pg::Connection* const connection = co_await session_.get();
    if (door.line.empty()) {
        co_return Result<void>{};
    }
    const core::Limits limits = door.line.front()->ask.limits;
    // Those who waited stand before the others, each in the order in which they came.
    std::ranges::stable_partition(door.line, [](const Wanting* one) { return one->ask.waited; });
    door.asking = std::exchange(door.line, {});
    Result<store::PassAnswer> answer = co_await ask_database(connection, destination, limits);
    Result<void> asked;
    if (answer) {
        asked = co_await seek_probe(connection, destination, limits, &*answer);
    } else {
        asked = fail(answer.error());
    }
    if (!asked) {
        door.known = false; // its row may have been deleted
        door.line.insert(door.line.begin(), door.asking.begin(), door.asking.end());
        door.asking.clear();
        co_return asked;
    }
    let_go(door, limits, *answer);
    co_return Result<void>{};
}

Task<Result<store::PassAnswer>> Gate::ask_database(pg::Connection* connection,
                                                   std::string destination, core::Limits limits)
{
    Door& door = doors_[destination];
    const Deadline deadline = Deadline::after(statement_deadline);
    if (!door.known) {
        const Result<void> added =
            co_await store::add_destination(*connection, destination, deadline);
        if (!added) {
            co_return fail(added.error());
        }
        door.known = true;
    }
    store::PassAsk ask;
    ask.destination = destination;
    ask.gap = gap_of(limits);
    ask.back_gap = limits.rate_per_second ? ask.gap : usual_gap;
    ask.horizon = horizon;
    ask.waiting = static_cast<int>(
        std::ranges::count_if(door.asking, [](const Wanting* one) { return one->ask.waited; }));
    ask.others = static_cast<int>(door.asking.size()) - ask.waiting;
    Result<store::PassAnswer> answer =
        co_await store::pass_destination(*connection, std::move(ask), deadline);
    if (answer) {
        clock_.heard(answer->now);
        door.looked_at = std::chrono::steady_clock::now();
        door.shut_until = answer->now + answer->shut_for;
        breakers_.heard_of(destination, answer->open_until);
    }
    co_return answer;
}

/// Where the breaker's time is over, one call of one relay shows how the destination is. Changes
/// the answer to what that leaves for those in line.
Task<Result<void>> Gate::seek_probe(pg::Connection* connection, std::string destination,
                                    core::Limits limits, store::PassAnswer* answer)
{
    if (!answer->open_until || *answer->open_until > answer->now) {
        co_return Result<void>{};
    }
    const Deadline deadline = Deadline::after(statement_deadline);
    if (!limits.breaker) { // it had one before a reload
        breakers_.heard_of(destination, std::nullopt);
        co_return co_await store::close_destination_breaker(*connection, destination, deadline);
    }
    const std::chrono::milliseconds open_for = limits.breaker->open_for;
    const Result<store::Probe> probe =
        co_await store::claim_destination_probe(*connection, destination, open_for, deadline);
    if (!probe) {
        co_return fail(probe.error());
    }
    if (*probe == store::Probe::closed) {
        breakers_.heard_of(destination, std::nullopt);
        co_return Result<void>{};
    }
    const int granted = *probe == store::Probe::mine ? 1 : 0;
    const int waiting = std::min(answer->to_waiting, granted);
    answer->to_others = std::min(answer->to_others, granted - waiting);
    answer->to_waiting = waiting;
    answer->shut_for = open_for;
    answer->back_in = std::max<std::chrono::microseconds>(answer->back_in, open_for);
    answer->open_until = answer->now + open_for;
    breakers_.heard_of(destination, answer->open_until);
    doors_[destination].shut_until = answer->open_until;
    co_return Result<void>{};
}

void Gate::let_go(Door& door, const core::Limits& limits, const store::PassAnswer& answer)
{
    const std::chrono::microseconds gap = gap_of(limits);
    const std::chrono::microseconds back_gap = limits.rate_per_second ? gap : usual_gap;
    int to_waiting = answer.to_waiting;
    int to_others = answer.to_others;
    Instant leaves_at = std::chrono::steady_clock::now() + answer.first_in;
    std::chrono::microseconds back_in = answer.back_in;
    for (Wanting* one : std::exchange(door.asking, {})) {
        int& granted = one->ask.waited ? to_waiting : to_others;
        if (granted > 0) {
            --granted;
            one->leaves_at = leaves_at;
            leaves_at += gap;
        } else {
            one->sent_away =
                SentAway{std::min(back_in, longest_way_back), reason(one->ask.destination, answer)};
            back_in += back_gap;
        }
        one->answered.set();
    }
}

Task<void> Gate::called(Ask ask, core::StepResult row)
{
    const bool told_to_wait = row.retry_after && (row.response_status == too_many_requests ||
                                                  row.response_status == unavailable);
    Breakers::Change change = Breakers::Change::none;
    if (ask.limits.breaker) {
        change = breakers_.tried(ask.destination, health_of(row), ask.limits.breaker->failures,
                                 clock_.now() + ask.limits.breaker->open_for);
    }
    if ((!told_to_wait && change == Breakers::Change::none) || draining_) {
        co_return;
    }
    Door& door = doors_[ask.destination];
    const Turn turn = co_await take_turn();
    pg::Connection* const connection = co_await session_.get();
    const Deadline deadline = Deadline::after(statement_deadline);
    Result<void> written;
    if (change == Breakers::Change::closes) {
        log::info("gate", "{} works again", ask.destination);
        door.shut_until.reset();
        written = co_await store::close_destination_breaker(*connection, ask.destination, deadline);
    } else if (change == Breakers::Change::opens) {
        const std::chrono::milliseconds open_for = ask.limits.breaker->open_for;
        const int failures = breakers_.failures(ask.destination);
        log::warning("gate", "{} is left alone for {} ms after {} failures in a row: {}",
                     ask.destination, open_for.count(), failures, row.error);
        door.shut_until = clock_.now() + open_for;
        written = co_await store::open_destination_breaker(*connection, ask.destination, failures,
                                                           row.error, open_for, deadline);
    }
    if (written && told_to_wait) {
        const std::chrono::milliseconds hold = *row.retry_after;
        log::info("gate", "{} asked not to be called for {} ms", ask.destination, hold.count());
        door.shut_until = std::max(door.shut_until.value_or(DbTime{}), clock_.now() + hold);
        written = co_await store::hold_destination(*connection, ask.destination, hold, row.error,
                                                   deadline);
    }
    if (!written) {
        log::warning("gate", "{}'s state could not be written down: {}", ask.destination,
                     written.error().text());
    }
}

} // namespace sagabox::engine
