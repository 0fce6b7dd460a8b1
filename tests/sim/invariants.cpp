#include "tests/sim/invariants.hpp"

#include "tests/sim/audit.hpp"

#include <algorithm>

namespace sagabox::sim {

namespace {

using core::Direction;
using core::EventStatus;
using core::LetterStatus;
using core::Outcome;
using core::StepResult;

void holds(bool condition, const char* sentence, const std::string& where)
{
    if (!condition) {
        throw Broken(std::string(sentence) + " (" + where + ")");
    }
}

std::string text(EventId id)
{
    return "event " + std::to_string(id.value);
}

std::string text(const StepResult& row)
{
    return text(row.event_id) + ", " + row.destination +
           (row.direction == Direction::revert ? ".revert" : "") + ", run " +
           std::to_string(row.run);
}

std::string header(const core::Request& request, std::string_view name)
{
    for (const auto& [known, value] : request.headers) {
        if (known == name) {
            return value;
        }
    }
    return {};
}

std::string expected_key(const EventRow& row, const StepResult& step)
{
    return row.event.uuid + ":" + step.destination +
           (step.direction == Direction::revert ? ".revert" : "") +
           (step.run > 1 ? ":" + std::to_string(step.run) : "");
}

bool same_step(const StepResult& row, const std::string& destination, Direction direction, int run)
{
    return row.direction == direction && row.run == run && row.destination == destination;
}

} // namespace

const EventRow& Invariants::event(EventId id) const
{
    return database_.events()[static_cast<std::size_t>(id.value) - 1];
}

std::vector<std::string> Invariants::fan_out(const core::Event& event) const
{
    if (const auto found = plan_.fanouts.find(event.type); found != plan_.fanouts.end()) {
        return found->second;
    }
    if (plan_.destinations.contains(event.type)) {
        return {event.type};
    }
    return {};
}

const core::Route* Invariants::route_of(const std::string& destination, int route) const
{
    return &plan_.destinations.find(destination)->second.routes[static_cast<std::size_t>(route)];
}

const StepResult* Invariants::success(const EventRow& row, const std::string& destination,
                                      int run) const
{
    const StepResult* found = nullptr;
    for (const StepResult& result : row.results) {
        if (same_step(result, destination, Direction::forward, run) &&
            result.outcome == Outcome::succeeded) {
            found = &result;
        }
    }
    return found;
}

const StepResult* Invariants::standing_success(const EventRow& row,
                                               const std::string& destination) const
{
    for (int run = row.event.run; run > 0; --run) {
        const StepResult* done = success(row, destination, run);
        if (done != nullptr && undoing(row, destination, run) == nullptr) {
            return done;
        }
    }
    return nullptr;
}

const StepResult* Invariants::undoing(const EventRow& row, const std::string& destination,
                                      int run) const
{
    for (const StepResult& result : row.results) {
        if (same_step(result, destination, Direction::revert, run) &&
            result.outcome == Outcome::succeeded) {
            return &result;
        }
    }
    return nullptr;
}

bool Invariants::in_doubt(const EventRow& row, const std::string& destination, int run) const
{
    return row.event.deaths > 0 ||
           std::any_of(row.results.begin(), row.results.end(), [&](const StepResult& result) {
               return same_step(result, destination, Direction::forward, run) &&
                      (result.outcome == Outcome::unknown || result.interrupted > 0);
           });
}

const StepResult* Invariants::standing_success_after(const EventRow& row,
                                                     std::int64_t result_id) const
{
    for (const StepResult& result : row.results) {
        if (result.direction == Direction::forward && result.run == row.event.run &&
            result.outcome == Outcome::succeeded && result.id.value > result_id &&
            undoing(row, result.destination, result.run) == nullptr &&
            route_of(result.destination, result.route)->revert) {
            return &result;
        }
    }
    return nullptr;
}

void Invariants::after_claim(const Claim& claim)
{
    holders_[{claim.lane, claim.row}] = {claim.claim_no, database_.now};
}

void Invariants::after_write(const Claim& claim, bool applied) const
{
    const auto holder = holders_.find({claim.lane, claim.row});
    holds(!applied || holder->second.claim_no == claim.claim_no,
          "a worker that lost its lease changes nothing", "row " + std::to_string(claim.row + 1));
}

void Invariants::after_decisions(const Claim& claim, int decisions, int most) const
{
    holds(decisions <= most, "deciding again and again reaches an end",
          "row " + std::to_string(claim.row + 1));
}

void Invariants::before_wait(const Claim& claim, const core::Wait& wait) const
{
    holds(wait.until > database_.now, "a wait ends later than now, or it would be a hot loop",
          "row " + std::to_string(claim.row + 1) + ": " + wait.why);
}

void Invariants::same_request_under_the_same_key(const core::Call& call)
{
    Ledger& ledger = world_.ledger(call.row.event_id, call.row.destination, call.row.run);
    const std::string request =
        call.request.method + " " + call.request.url + " " + call.request.body.value_or("no body");
    std::string& first = call.row.direction == Direction::forward
                             ? ledger.forward_request
                             : ledger.revert_requests[call.row.cause.value];
    if (first.empty()) {
        first = request;
    }
    holds(first == request, "each attempt of a step sends the same request",
          text(call.row) + ": " + first + " / " + request);
}

void Invariants::before_call(const Claim& claim, const core::Call& call, Holder holder)
{
    const StepResult& row = call.row;
    holds(header(call.request, "Idempotency-Key") == expected_key(event(row.event_id), row),
          "the idempotency key is the step's own, and the same at each attempt",
          text(row) + ": " + header(call.request, "Idempotency-Key"));
    same_request_under_the_same_key(call);
    if (row.direction == Direction::revert) {
        revert_names_what_the_step_made(call);
    }
    // Between its last look and its call a worker may have been stopped for as long as you like:
    // what it calls then was right when it was decided.
    if (holder == Holder::stale) {
        return;
    }
    if (row.direction == Direction::forward) {
        before_forward(claim, call);
    } else {
        before_revert(claim, call);
    }
    in_order(claim, call);
}

void Invariants::within_attempts(const core::Call& call, int retries) const
{
    const StepResult& row = call.row;
    const StepResult* last = nullptr;
    int attempts = 0;
    for (const StepResult& result : event(row.event_id).results) {
        if (same_step(result, row.destination, row.direction, row.run) && !result.forgiven &&
            result.cause == row.cause && result.outcome != Outcome::skipped) {
            ++attempts;
            last = &result;
        }
    }
    holds(attempts <= retries, "no step is tried more often than its retries allow", text(row));
    holds(row.attempt == attempts + 1, "attempts are numbered without gaps", text(row));
    if (last == nullptr) {
        return;
    }
    holds(last->outcome != Outcome::rejected, "what was rejected is not tried again", text(row));
    const auto least = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::min(plan_.backoff.base, plan_.backoff.max) * (1.0 - plan_.backoff.jitter));
    const auto pause = last->retry_after.value_or(least);
    holds(database_.now >= last->published_at + pause,
          "no retry comes before its pause is over, whoever makes it", text(row));
}

void Invariants::before_forward(const Claim& claim, const core::Call& call) const
{
    const StepResult& row = call.row;
    const EventRow& own = event(row.event_id);
    holds(claim.lane == Claim::Lane::event && event(row.event_id).event.id == row.cause &&
              static_cast<std::int64_t>(claim.row) + 1 == row.event_id.value &&
              own.event.status == EventStatus::PROCESSING,
          "a step is called only for an event that is being carried out", text(row));
    holds(row.run == own.event.run, "a step belongs to the run that is under way", text(row));
    holds(own.event.deaths <= plan_.max_retries,
          "an event that lost maxRetries + 1 workers is not called for again", text(row));
    holds(standing_success(own, row.destination) == nullptr,
          "a step that has succeeded is not called again", text(row));

    bool in_fan_out = false;
    for (const std::string& step : fan_out(own.event)) {
        if (step == row.destination) {
            in_fan_out = true;
            break;
        }
        const bool skipped =
            std::any_of(own.results.begin(), own.results.end(), [&](const StepResult& result) {
                return same_step(result, step, Direction::forward, row.run) &&
                       result.outcome == Outcome::skipped;
            });
        holds(skipped || standing_success(own, step) != nullptr,
              "no step is called before the step in front of it is durably over",
              text(row) + " before " + step);
    }
    holds(in_fan_out, "only steps of the event's fan-out are called", text(row));
    within_attempts(call, plan_.max_retries);

    const DbTime since = holders_.find({claim.lane, claim.row})->second.since;
    for (std::size_t i = claim.row + 1; i < database_.events().size(); ++i) {
        const EventRow& later = database_.events()[i];
        holds(!(active(later.event.status) && database_.is_target(claim.row, i) &&
                later.forgiveness == 0 && later.event.created_at < since),
              "an event whose cancel was there before its claim makes no further call", text(row));
    }
}

void Invariants::before_revert(const Claim& claim, const core::Call& call)
{
    const StepResult& row = call.row;
    const EventRow& own = event(row.event_id);
    const auto index = static_cast<std::size_t>(row.event_id.value) - 1;
    if (claim.lane == Claim::Lane::letter) {
        holds(database_.letters()[claim.row].event == index && row.cause == row.event_id,
              "a letter undoes the steps of its own event", text(row));
        holds(database_.letters()[claim.row].deaths <= plan_.revert_max_retries,
              "a letter that lost dlq.maxRetries + 1 workers is not called for again", text(row));
    } else {
        holds(database_.is_target(index, claim.row), "a cancel undoes only what it names",
              text(row));
        holds(database_.events()[claim.row].event.deaths <= plan_.max_retries,
              "a cancel that lost maxRetries + 1 workers is not called for again", text(row));
        const auto letter = database_.letter_of(index);
        holds(!letter || !active(database_.letters()[*letter].status),
              "a cancel and a compensation never undo the same event side by side", text(row));
    }
    holds(!active(own.event.status), "nothing is undone of an event that is still under way",
          text(row));
    holds(undoing(own, row.destination, row.run) == nullptr,
          "a step that is undone is not undone again", text(row));
    const StepResult* done = success(own, row.destination, row.run);
    holds(done != nullptr || in_doubt(own, row.destination, row.run),
          "only a step that took effect, or may have, is undone", text(row));
    if (done != nullptr) {
        holds(done->route == row.route, "a revert is that of the route that was taken", text(row));
        const StepResult* later = standing_success_after(own, done->id.value);
        holds(later == nullptr, "steps are undone in the reverse of the order of their success",
              text(row) + " while another stands");
    }
    if (claim.lane == Claim::Lane::event) {
        for (std::size_t i = index + 1; i < claim.row; ++i) {
            holds(!database_.is_target(i, claim.row) ||
                      standing_success_after(database_.events()[i], 0) == nullptr,
                  "a cancel undoes the later events first", text(row));
        }
    }
    doubtful_steps_first(own, row);
    within_attempts(call, plan_.revert_max_retries);
}

void Invariants::doubtful_steps_first(const EventRow& row, const StepResult& revert) const
{
    if (success(row, revert.destination, revert.run) == nullptr) {
        return;
    }
    for (const StepResult& result : row.results) {
        if (!same_step(result, result.destination, Direction::forward, row.event.run) ||
            (result.outcome != Outcome::unknown && result.interrupted == 0) ||
            standing_success(row, result.destination) != nullptr ||
            undoing(row, result.destination, result.run) != nullptr) {
            continue;
        }
        const auto& undo = route_of(result.destination, result.route)->revert;
        holds(!undo || core::needs_response(*undo),
              "a step that may have taken effect is undone before the steps in front of it",
              text(revert) + " before " + result.destination);
    }
}

void Invariants::revert_names_what_the_step_made(const core::Call& call)
{
    const StepResult& row = call.row;
    const Ledger& ledger = world_.ledger(row.event_id, row.destination, row.run);
    const std::string& url = call.request.url;
    const std::string base =
        "http://" + row.destination + ".example/r" + std::to_string(row.route) + "/undo/";
    const std::string rest = url.starts_with(base) ? url.substr(base.size()) : "";
    bool right = false;
    if (rest.starts_with("id/")) {
        right = std::find(ledger.ids.begin(), ledger.ids.end(), rest.substr(3)) != ledger.ids.end();
    } else if (rest.starts_with("ref/")) {
        right =
            rest.substr(4) == "ref-" + std::to_string(row.event_id.value) + "-" + row.destination;
    } else if (rest.starts_with("key/")) {
        std::string key = "key/" + event(row.event_id).event.uuid + "%3A" + row.destination;
        key += row.run > 1 ? "%3A" + std::to_string(row.run) : "";
        right = rest == key;
    }
    holds(right, "a revert names what the step has made, and nothing else", text(row) + ": " + url);
}

void Invariants::in_order(const Claim& claim, const core::Call& call) const
{
    if (database_.ordering() == Ordering::none || claim.lane == Claim::Lane::letter) {
        return;
    }
    const EventRow& own = database_.events()[claim.row];
    for (std::size_t i = 0; i < claim.row; ++i) {
        const EventRow& earlier = database_.events()[i];
        // What a person sets going again, and what takes its place late by its own wish, comes when
        // it comes.
        if (earlier.event.aggregate_id != own.event.aggregate_id || earlier.forgiveness > 0 ||
            earlier.emitted_for_later) {
            continue;
        }
        const bool waits_for_its_end = database_.is_target(i, claim.row);
        const auto letter = database_.letter_of(i);
        holds(!active(earlier.event.status) || waits_for_its_end,
              "an event waits until the earlier events of its aggregate are over",
              text(call.row) + " before " + text(earlier.event.id));
        holds(!letter || !active(database_.letters()[*letter].status),
              "an event waits until the earlier events of its aggregate are compensated",
              text(call.row) + " before " + text(earlier.event.id));
    }
}

void Invariants::after_call(const core::Call& call)
{
    const Ledger& ledger = world_.ledger(call.row.event_id, call.row.destination, call.row.run);
    holds(!ledger.honours_keys || ledger.effects <= 1,
          "a receiver that honours keys sees each effect once", text(call.row));
}

void Invariants::completed(const EventRow& row) const
{
    for (const std::string& step : fan_out(row.event)) {
        int successes = 0;
        int skips = 0;
        for (const StepResult& result : row.results) {
            if (same_step(result, step, Direction::forward, row.event.run)) {
                successes += result.outcome == Outcome::succeeded ? 1 : 0;
                skips += result.outcome == Outcome::skipped ? 1 : 0;
            }
        }
        const StepResult* standing = standing_success(row, step);
        const bool of_an_earlier_run = standing != nullptr && standing->run < row.event.run;
        holds(successes + skips + (of_an_earlier_run ? 1 : 0) == 1,
              "each step of a completed event has succeeded exactly once, or was passed over",
              text(row.event.id) + ", " + step);
        const auto& routes = plan_.destinations.find(step)->second.routes;
        holds(skips == 0 ||
                  std::all_of(routes.begin(), routes.end(),
                              [](const core::Route& route) { return route.condition.has_value(); }),
              "a step with a route that is always taken is never passed over",
              text(row.event.id) + ", " + step);
    }
}

void Invariants::reverts_in_reverse(const EventRow& row) const
{
    for (int run = 1; run <= row.event.run; ++run) {
        std::vector<std::int64_t> undone; // ids of the successes, in the order of their undoing
        for (const StepResult& result : row.results) {
            if (result.direction != Direction::revert || result.run != run ||
                result.outcome != Outcome::succeeded) {
                continue;
            }
            holds(undoing(row, result.destination, run) == &result, "no step is undone twice",
                  text(result));
            if (const StepResult* done = success(row, result.destination, run)) {
                undone.push_back(done->id.value);
            }
        }
        holds(std::is_sorted(undone.rbegin(), undone.rend()), "what was done last was undone first",
              text(row.event.id));
    }
}

void Invariants::letter_ended(const LetterRow& letter) const
{
    const EventRow& row = database_.events()[letter.event];
    holds(letter.lease.owner == 0 && !active(letter.status), "every letter ends",
          "letter of " + text(row.event.id));
    if (letter.reason == core::LetterReason::POISONED) {
        holds(row.lost_workers > plan_.max_retries,
              "only an event that lost maxRetries + 1 workers is POISONED", text(row.event.id));
    }
    reason_fits(letter, row);
    if (letter.status != LetterStatus::FAILED) {
        return;
    }
    doubts_named(letter);
    const bool names_a_step = std::any_of(
        plan_.destinations.begin(), plan_.destinations.end(), [&letter](const auto& known) {
            return letter.revert_error.find(known.first) != std::string::npos;
        });
    holds(names_a_step || letter.revert_error.find("worker was lost") != std::string::npos,
          "a letter that needs a person says which step it is about",
          text(row.event.id) + ": " + letter.revert_error);
}

void Invariants::reason_fits(const LetterRow& letter, const EventRow& row) const
{
    if (letter.reason != core::LetterReason::MAX_RETRIES_EXCEEDED) {
        return;
    }
    const bool cancellation = core::is_cancellation(row.event.type);
    const int allowed = 1 + (cancellation ? plan_.revert_max_retries : plan_.max_retries);
    std::map<std::string, int> failures;
    int most = 0;
    for (const EventRow& other : database_.events()) {
        for (const StepResult& result : other.results) {
            if (result.cause == row.event.id && result.outcome != Outcome::succeeded &&
                result.outcome != Outcome::skipped &&
                (result.direction == Direction::revert) == cancellation) {
                const std::string step = text(result);
                most = std::max(most, ++failures[step]);
            }
        }
    }
    holds(most >= allowed, "who ran out of retries has used them", text(row.event.id));
}

void Invariants::doubts_named(const LetterRow& letter) const
{
    const EventRow& row = database_.events()[letter.event];
    if (letter.revert_error.find("worker was lost") != std::string::npos) {
        return;
    }
    for (const Ledger& ledger : world_.ledgers()) {
        if (ledger.event != row.event.id || ledger.run != row.event.run || ledger.standing == 0 ||
            ledger.touched_by_stale || success(row, ledger.destination, ledger.run) != nullptr ||
            undoing(row, ledger.destination, ledger.run) != nullptr ||
            !route_of(ledger.destination, ledger.route)->revert) {
            continue;
        }
        holds(letter.revert_error.find(ledger.destination) != std::string::npos,
              "a letter that needs a person names the step that took effect unnoticed",
              text(row.event.id) + ", " + ledger.destination + ": " + letter.revert_error);
    }
}

void Invariants::effects_accounted_for() const
{
    for (const Ledger& ledger : world_.ledgers()) {
        if (!ledger.honours_keys || ledger.touched_by_stale) {
            continue;
        }
        const EventRow& row = event(ledger.event);
        const auto index = static_cast<std::size_t>(ledger.event.value) - 1;
        const std::string where =
            text(ledger.event) + ", " + ledger.destination + ", run " + std::to_string(ledger.run);
        const auto letter = database_.letter_of(index);
        const bool revertible = route_of(ledger.destination, ledger.route)->revert.has_value();

        bool cancelled = false; // by a `!X` that says that all is undone
        bool cancel_known = false;
        for (std::size_t i = index + 1; i < database_.events().size(); ++i) {
            const EventRow& undo = database_.events()[i];
            if (database_.is_target(index, i)) {
                cancel_known = true;
                cancelled = cancelled || (undo.event.status == EventStatus::PROCESSED &&
                                          undo.settled_at_tick > row.rerun_at_tick);
            }
        }
        if (ledger.standing > 0 && revertible) {
            holds(ledger.run == row.event.run,
                  "of a run that was compensated nothing stands when the next one begins", where);
            holds(!(row.moved_to_dlq && letter &&
                    database_.letters()[*letter].status == LetterStatus::PROCESSED),
                  "a compensated event leaves no effect standing that can be undone", where);
            holds(!cancelled, "a cancel that is done leaves no effect standing that can be undone",
                  where);
        }
        const bool succeeded = row.event.status == EventStatus::PROCESSED && !row.moved_to_dlq &&
                               success(row, ledger.destination, row.event.run) != nullptr &&
                               ledger.run == row.event.run;
        if (succeeded && !cancel_known) {
            holds(ledger.standing == 1, "each step of a completed event has taken effect once",
                  where);
        }
    }
}

void Invariants::arrivals_within_bounds() const
{
    for (const Ledger& ledger : world_.ledgers()) {
        const EventRow& row = event(ledger.event);
        const auto index = static_cast<std::size_t>(ledger.event.value) - 1;
        holds(ledger.forward_arrivals <= plan_.max_retries + 1 + row.lost_workers,
              "a step arrives no more often than attempts and lost workers allow",
              text(ledger.event) + ", " + ledger.destination);
        int errands = 0;
        int lost = 0;
        for (std::size_t i = 0; i < database_.events().size(); ++i) {
            if (database_.is_target(index, i)) {
                errands += 1 + database_.events()[i].forgiveness;
                lost += database_.events()[i].lost_workers;
            }
        }
        for (const LetterRow& letter : database_.letters()) {
            if (letter.event == index) {
                errands += 1 + letter.resumed;
                lost += letter.lost_workers;
            }
        }
        holds(ledger.revert_arrivals <= (plan_.revert_max_retries + 1) * errands + lost,
              "a revert arrives no more often than attempts and lost workers allow",
              text(ledger.event) + ", " + ledger.destination);
    }
}

void Invariants::nothing_for_an_audit() const
{
    for (const core::audit::Finding& found : audit(plan_, database_)) {
        throw Broken("an audit finds nothing where no rule was broken (" + text(found.event) +
                     ", " + std::string(found.rule) + ": " + found.what + ")");
    }
}

void Invariants::at_the_end() const
{
    nothing_for_an_audit();
    for (const EventRow& row : database_.events()) {
        holds(!active(row.event.status), "every event ends", text(row.event.id));
        holds(row.lease.owner == 0, "no lease outlives the event's end", text(row.event.id));
        if (core::is_cancellation(row.event.type)) {
            continue;
        }
        holds(row.event.status != EventStatus::FAILED, "only a cancel becomes FAILED",
              text(row.event.id));
        if (row.event.status == EventStatus::PROCESSED && !row.moved_to_dlq) {
            completed(row);
        }
        reverts_in_reverse(row);
    }
    for (const LetterRow& letter : database_.letters()) {
        letter_ended(letter);
    }
    effects_accounted_for();
    arrivals_within_bounds();
}

void Invariants::still_running() const
{
    std::string open;
    for (const EventRow& row : database_.events()) {
        if (active(row.event.status)) {
            open += " " + text(row.event.id);
        }
    }
    throw Broken("every event ends once the faults stop (still open:" + open + ")");
}

} // namespace sagabox::sim
