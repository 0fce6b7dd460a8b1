#include "tests/sim/database.hpp"

#include <algorithm>

namespace sagabox::sim {

namespace {

using core::EventStatus;
using core::LetterStatus;

EventId id_of(std::size_t index)
{
    return {static_cast<std::int64_t>(index) + 1};
}
std::size_t index_of(EventId id)
{
    return static_cast<std::size_t>(id.value) - 1;
}

bool due(const std::optional<DbTime>& at, DbTime now)
{
    return !at || *at <= now;
}

} // namespace

std::size_t Database::emit(std::string aggregate, std::string type, json::Value payloads,
                           std::optional<DbTime> not_before)
{
    EventRow row;
    row.event.id = id_of(events_.size());
    row.event.uuid = "uuid-" + std::to_string(row.event.id.value);
    row.event.aggregate_id = std::move(aggregate);
    row.event.type = std::move(type);
    row.event.payloads = std::move(payloads);
    row.event.created_at = now;
    row.event.status = EventStatus::PENDING;
    row.next_retry_at = not_before;
    row.emitted_for_later = not_before.has_value();
    events_.push_back(std::move(row));
    return events_.size() - 1;
}

std::optional<std::size_t> Database::letter_of(std::size_t event) const
{
    for (std::size_t i = letters_.size(); i-- > 0;) {
        if (letters_[i].event == event) {
            return i;
        }
    }
    return std::nullopt;
}

bool Database::is_target(std::size_t event, std::size_t cancellation) const
{
    const core::Event& x = events_[event].event;
    const core::Event& undo = events_[cancellation].event;
    return event < cancellation && core::is_cancellation(undo.type) &&
           x.aggregate_id == undo.aggregate_id && x.type == core::cancelled_type(undo.type);
}

bool Database::cancel_waits_for(std::size_t event) const
{
    for (std::size_t i = event + 1; i < events_.size(); ++i) {
        if (active(events_[i].event.status) && is_target(event, i)) {
            return true;
        }
    }
    return false;
}

bool Database::event_blocked(std::size_t index) const
{
    const core::Event& event = events_[index].event;
    if (ordering_ == Ordering::none) {
        // Whatever the order, a cancel waits for what it cancels, and for the cancel in front of
        // it: no two may undo the same steps side by side.
        for (std::size_t i = 0; i < index; ++i) {
            const core::Event& earlier = events_[i].event;
            const bool at_work = earlier.status == EventStatus::PROCESSING && is_target(i, index);
            const bool same_cancel =
                core::is_cancellation(event.type) && earlier.type == event.type &&
                earlier.aggregate_id == event.aggregate_id && active(earlier.status);
            if (at_work || same_cancel) {
                return true;
            }
        }
        return false;
    }
    for (std::size_t i = 0; i < index; ++i) {
        const EventRow& earlier = events_[i];
        if (earlier.event.aggregate_id != event.aggregate_id) {
            continue;
        }
        const bool for_later = earlier.lease.claim_no == 0 && !due(earlier.next_retry_at, now);
        const bool to_be_cancelled =
            earlier.event.status == EventStatus::PENDING && is_target(i, index);
        if (active(earlier.event.status) && !for_later && !to_be_cancelled) {
            return true;
        }
    }
    return std::any_of(letters_.begin(), letters_.end(), [&](const LetterRow& letter) {
        return letter.event < index && active(letter.status) &&
               events_[letter.event].event.aggregate_id == event.aggregate_id;
    });
}

std::vector<Claim> Database::claimable() const
{
    std::vector<Claim> candidates;
    for (std::size_t i = 0; i < events_.size(); ++i) {
        const EventRow& row = events_[i];
        const bool waiting =
            row.event.status == EventStatus::PENDING && due(row.next_retry_at, now);
        const bool abandoned =
            row.event.status == EventStatus::PROCESSING && row.lease.expires_at < now;
        if ((waiting || abandoned) && !event_blocked(i)) {
            candidates.push_back({Claim::Lane::event, i, 0, 0});
        }
    }
    for (std::size_t i = 0; i < letters_.size(); ++i) {
        const LetterRow& row = letters_[i];
        const bool waiting = row.status == LetterStatus::PENDING && due(row.next_retry_at, now);
        const bool abandoned = row.status == LetterStatus::PROCESSING && row.lease.expires_at < now;
        if (waiting || abandoned) {
            candidates.push_back({Claim::Lane::letter, i, 0, 0});
        }
    }
    return candidates;
}

Claim Database::take(Claim candidate)
{
    Lease* lease = nullptr;
    if (candidate.lane == Claim::Lane::event) {
        EventRow& row = events_[candidate.row];
        if (row.event.status == EventStatus::PROCESSING) {
            ++row.event.deaths;
            ++row.lost_workers;
        }
        row.event.status = EventStatus::PROCESSING;
        lease = &row.lease;
    } else {
        LetterRow& row = letters_[candidate.row];
        if (row.status == LetterStatus::PROCESSING) {
            ++row.deaths;
            ++row.lost_workers;
        }
        row.status = LetterStatus::PROCESSING;
        lease = &row.lease;
    }
    lease->owner = ++last_owner_;
    lease->expires_at = now + lease_;
    ++lease->claim_no;
    candidate.owner = lease->owner;
    candidate.claim_no = lease->claim_no;
    return candidate;
}

std::vector<core::History> Database::targets_of(std::size_t cancellation) const
{
    std::vector<core::History> targets;
    for (std::size_t i = 0; i < cancellation; ++i) {
        if (is_target(i, cancellation)) {
            core::History target;
            target.event = events_[i].event;
            target.results = events_[i].results;
            if (const auto letter = letter_of(i)) {
                target.letter = letters_[*letter].status;
            }
            targets.push_back(std::move(target));
        }
    }
    return targets;
}

core::Saga Database::load(const Claim& claim) const
{
    core::Saga saga;
    const bool letter = claim.lane == Claim::Lane::letter;
    const std::size_t index = letter ? letters_[claim.row].event : claim.row;
    saga.own.event = events_[index].event;
    saga.own.results = events_[index].results;
    if (letter) {
        const LetterRow& row = letters_[claim.row];
        core::Compensation errand;
        errand.letter = {static_cast<std::int64_t>(claim.row) + 1};
        errand.reason = row.reason;
        errand.deaths = row.deaths;
        errand.retry_count = row.retry_count;
        saga.errand = errand;
    } else if (core::is_cancellation(saga.own.event.type)) {
        core::Cancellation errand;
        errand.targets = targets_of(index);
        saga.errand = std::move(errand);
    } else {
        core::Forward errand;
        errand.cancel_waiting = cancel_waits_for(index);
        saga.errand = errand;
    }
    return saga;
}

bool Database::holds(const Claim& claim) const
{
    const bool event = claim.lane == Claim::Lane::event;
    const Lease& lease = event ? events_[claim.row].lease : letters_[claim.row].lease;
    const bool processing = event ? events_[claim.row].event.status == EventStatus::PROCESSING
                                  : letters_[claim.row].status == LetterStatus::PROCESSING;
    return processing && lease.owner == claim.owner && lease.claim_no == claim.claim_no;
}

bool Database::renew(const Claim& claim)
{
    if (!holds(claim)) {
        return false;
    }
    Lease& lease =
        claim.lane == Claim::Lane::event ? events_[claim.row].lease : letters_[claim.row].lease;
    lease.expires_at = now + lease_;
    return true;
}

void Database::settle_event(EventRow& row, std::size_t index, const Change& change)
{
    if (std::holds_alternative<std::monostate>(change)) {
        return;
    }
    row.lease.owner = 0;
    row.settled_at_tick = tick;
    row.status_changed_at = now;
    const bool cancellation = core::is_cancellation(row.event.type);
    if (const auto* wait = std::get_if<core::Wait>(&change)) {
        row.event.status = EventStatus::PENDING;
        row.next_retry_at = wait->until;
        row.event.retry_count = wait->retry_count;
        row.last_error = wait->why;
    } else if (std::holds_alternative<HandBack>(change)) {
        row.event.status = EventStatus::PENDING;
        row.next_retry_at = now;
    } else if (std::holds_alternative<core::Finish>(change)) {
        row.event.status = EventStatus::PROCESSED;
        for (LetterRow& letter : letters_) {
            if (cancellation && letter.status == LetterStatus::FAILED &&
                is_target(letter.event, index)) {
                letter.status = LetterStatus::PROCESSED;
                letter.status_changed_at = now;
            }
        }
    } else if (const auto* give_up = std::get_if<core::GiveUp>(&change)) {
        row.event.status = EventStatus::PROCESSED;
        row.event.retry_count = give_up->retry_count;
        row.moved_to_dlq = true;
        row.last_error = give_up->why;
        LetterRow letter;
        letter.event = index;
        letter.reason = give_up->reason;
        letter.why = give_up->why;
        letter.status_changed_at = now;
        letters_.push_back(std::move(letter));
    } else if (const auto* person = std::get_if<core::NeedsPerson>(&change)) {
        row.event.status = EventStatus::FAILED;
        row.last_error = person->why;
        LetterRow letter;
        letter.event = index;
        letter.status = LetterStatus::FAILED;
        letter.reason = person->reason;
        letter.revert_error = person->why;
        letter.status_changed_at = now;
        letters_.push_back(std::move(letter));
    } else if (std::holds_alternative<core::StopForCancel>(change)) {
        row.event.status = EventStatus::CANCELLED;
    }
}

void Database::settle_letter(LetterRow& row, const Change& change)
{
    if (std::holds_alternative<std::monostate>(change)) {
        return;
    }
    row.lease.owner = 0;
    row.status_changed_at = now;
    if (const auto* wait = std::get_if<core::Wait>(&change)) {
        row.status = LetterStatus::PENDING;
        row.next_retry_at = wait->until;
        row.retry_count = wait->retry_count;
        row.revert_error = wait->why;
    } else if (std::holds_alternative<HandBack>(change)) {
        row.status = LetterStatus::PENDING;
        row.next_retry_at = now;
    } else if (std::holds_alternative<core::Finish>(change)) {
        row.status = LetterStatus::PROCESSED;
    } else if (const auto* person = std::get_if<core::NeedsPerson>(&change)) {
        row.status = LetterStatus::FAILED;
        row.revert_error = person->why;
        row.retry_count = person->retry_count;
    }
}

Flushed Database::flush(const Claim& claim, const std::vector<core::StepResult>& rows,
                        const Change& change)
{
    Flushed answer;
    if (fencing_ == Fencing::on && !holds(claim)) {
        return answer;
    }
    answer.applied = true;
    for (const core::StepResult& row : rows) {
        core::StepResult written = row;
        written.id = {++last_result_id_};
        events_[index_of(row.event_id)].results.push_back(std::move(written));
    }
    if (claim.lane == Claim::Lane::event) {
        EventRow& row = events_[claim.row];
        row.event.deaths = rows.empty() ? row.event.deaths : 0;
        settle_event(row, claim.row, change);
        answer.cancel_waiting = cancel_waits_for(claim.row);
    } else {
        LetterRow& row = letters_[claim.row];
        row.deaths = rows.empty() ? row.deaths : 0;
        settle_letter(row, change);
    }
    return answer;
}

bool Database::cancel_waiting(const Claim& claim, const std::vector<EventId>& events)
{
    if (fencing_ == Fencing::on && !holds(claim)) {
        return false;
    }
    for (const EventId id : events) {
        EventRow& row = events_[index_of(id)];
        if (row.event.status == EventStatus::PENDING) {
            row.event.status = EventStatus::CANCELLED;
            row.status_changed_at = now;
        }
    }
    return true;
}

bool Database::resume_letter(std::size_t letter)
{
    LetterRow& row = letters_[letter];
    EventRow& event = events_[row.event];
    if (row.status != LetterStatus::FAILED) {
        return false;
    }
    // Two errands must never undo the same steps side by side.
    const bool cancellation = core::is_cancellation(event.event.type);
    for (std::size_t i = 0; i < events_.size(); ++i) {
        const core::Event& other = events_[i].event;
        const bool same_cancel = cancellation && other.type == event.event.type &&
                                 other.aggregate_id == event.event.aggregate_id;
        if (other.status == EventStatus::PROCESSING && (same_cancel || is_target(row.event, i))) {
            return false;
        }
    }
    for (EventRow& other : events_) {
        for (core::StepResult& result : other.results) {
            if (cancellation ? result.cause == event.event.id : &other == &event) {
                result.forgiven = true;
            }
        }
    }
    ++event.forgiveness;
    ++row.resumed;
    if (cancellation) {
        // A `!X` has no compensation of its own: trying it again means carrying it out again.
        row.status = LetterStatus::RESOLVED;
        event.event.status = EventStatus::PENDING;
        event.event.retry_count = 0;
        event.event.deaths = 0;
        event.next_retry_at.reset();
        return true;
    }
    row.status = LetterStatus::PENDING;
    row.retry_count = 0;
    row.deaths = 0;
    row.next_retry_at.reset();
    return true;
}

bool Database::run_again(std::size_t index)
{
    EventRow& row = events_[index];
    const auto letter = letter_of(index);
    if (!row.moved_to_dlq || !letter || letters_[*letter].status != LetterStatus::PROCESSED) {
        return false;
    }
    for (std::size_t i = index + 1; i < events_.size(); ++i) {
        if (events_[i].event.status == EventStatus::PROCESSING && is_target(index, i)) {
            return false;
        }
    }
    ++row.event.run;
    row.event.status = EventStatus::PENDING;
    row.event.deaths = 0;
    row.event.retry_count = 0;
    row.moved_to_dlq = false;
    row.next_retry_at.reset();
    row.rerun_at_tick = tick;
    ++row.forgiveness;
    for (core::StepResult& result : row.results) {
        result.forgiven = true;
    }
    return true;
}

bool Database::anything_active() const
{
    return std::any_of(events_.begin(), events_.end(),
                       [](const EventRow& row) { return active(row.event.status); }) ||
           std::any_of(letters_.begin(), letters_.end(),
                       [](const LetterRow& row) { return active(row.status); });
}

std::optional<DbTime> Database::next_moment() const
{
    std::optional<DbTime> next;
    const auto consider = [&next, this](DbTime at) {
        if (at > now && (!next || at < *next)) {
            next = at;
        }
    };
    for (const EventRow& row : events_) {
        if (row.event.status == EventStatus::PENDING && row.next_retry_at) {
            consider(*row.next_retry_at);
        } else if (row.event.status == EventStatus::PROCESSING) {
            consider(row.lease.expires_at + std::chrono::microseconds(1));
        }
    }
    for (const LetterRow& row : letters_) {
        if (row.status == LetterStatus::PENDING && row.next_retry_at) {
            consider(*row.next_retry_at);
        } else if (row.status == LetterStatus::PROCESSING) {
            consider(row.lease.expires_at + std::chrono::microseconds(1));
        }
    }
    return next;
}

} // namespace sagabox::sim
