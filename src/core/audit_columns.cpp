#include "core/audit_rules.hpp"

#include <string>

namespace sagabox::core::audit {

namespace {

void judge_lease(const Terms& terms, const LeaseFacts& lease, bool at_work,
                 const std::string& whose, DbTime now, Report& report)
{
    if (!at_work) {
        if (lease.owned || lease.expires_at) {
            report.finding(rules::lease_on_idle_row, whose + " has a lease and is not at work");
        }
        return;
    }
    if (!lease.expires_at) {
        report.finding(rules::processing_without_a_lease,
                       whose + " is PROCESSING with no lease_expires_at");
    } else if (!lease.owned) {
        report.finding(rules::lease_without_an_owner,
                       whose + " is PROCESSING under a lease that nobody owns");
    } else if (*lease.expires_at + terms.lease_patience < now) {
        const auto age =
            std::chrono::duration_cast<std::chrono::seconds>(now - *lease.expires_at).count();
        report.finding(rules::expired_lease_left, whose + "'s lease expired " +
                                                      std::to_string(age) +
                                                      " s ago, and nobody took it over");
    }
}

void judge_event(const Terms& terms, const EventFacts& facts, DbTime now, Report& report)
{
    const EventStatus status = facts.event.status;
    const std::string label(to_label(status));
    judge_lease(terms, facts.lease, status == EventStatus::PROCESSING, "the event", now, report);

    // A cancelled event keeps the time that it waited for: nobody looks at it again.
    if (facts.has_retry_time && status != EventStatus::PENDING &&
        status != EventStatus::CANCELLED) {
        report.finding(rules::retry_time_out_of_place,
                       "the event is " + label + " and has a next_retry_at");
    }
    if (facts.key_taken_twice) {
        report.finding(rules::idempotency_key_taken_twice,
                       "another active event has the same idempotency_key");
    }
    if (facts.moved_to_dlq && active(status)) {
        report.finding(rules::active_in_dead_letters,
                       "the event is " + label + " and moved_to_dlq");
    }
    if (status == EventStatus::FAILED && !is_cancellation(facts.event.type)) {
        report.finding(rules::failed_though_no_cancel,
                       "the event is FAILED, and its type asks for no undoing");
    }
}

void judge_letters(const Terms& terms, const EventFacts& facts, DbTime now, Report& report)
{
    const bool cancellation = is_cancellation(facts.event.type);
    const EventStatus status = facts.event.status;
    const bool given_up = cancellation ? status == EventStatus::FAILED
                                       : facts.moved_to_dlq && status == EventStatus::PROCESSED;
    if (given_up && facts.letters.empty()) {
        report.finding(rules::dead_letter_missing, "the event failed for good and has no letter");
    }
    int live = 0;
    int compensated = 0;
    for (const LetterFacts& letter : facts.letters) {
        const std::string whose = "letter " + std::to_string(letter.id.value);
        judge_lease(terms, letter.lease, letter.status == LetterStatus::PROCESSING, whose, now,
                    report);
        if (letter.has_retry_time &&
            (letter.status == LetterStatus::PROCESSING || letter.status == LetterStatus::FAILED)) {
            report.finding(rules::retry_time_out_of_place,
                           whose + " is " + std::string(to_label(letter.status)) +
                               " and has a next_retry_at");
        }
        const bool open = active(letter.status) || letter.status == LetterStatus::FAILED;
        live += open ? 1 : 0;
        compensated += letter.status == LetterStatus::PROCESSED ? 1 : 0;
        if (open && !given_up) {
            report.finding(rules::letter_of_event_not_given_up,
                           whose + " is " + std::string(to_label(letter.status)) +
                               ", and the event is " + std::string(to_label(status)) +
                               (facts.moved_to_dlq ? "" : " and not moved_to_dlq"));
        }
    }
    if (live > 1) {
        report.finding(rules::two_live_letters,
                       std::to_string(live) + " letters of the event are open");
    }
    // Each run is compensated once at most, and a run is begun anew only after that.
    if (!cancellation && live == 0 && !given_up && compensated >= facts.event.run) {
        report.finding(rules::letter_of_event_not_given_up,
                       std::to_string(compensated) + " letter(s) of " +
                           std::to_string(facts.event.run) +
                           " run(s) are compensated, and the event is not in the dead letters");
    }
}

} // namespace

void judge_columns(const Terms& terms, const EventFacts& facts, DbTime now, Report& report)
{
    judge_event(terms, facts, now, report);
    judge_letters(terms, facts, now, report);
    for (const ResultId id : facts.mislabelled) {
        report.finding(rules::outcome_denies_success,
                       "result " + std::to_string(id.value) +
                           ": success and outcome say different things");
    }
}

} // namespace sagabox::core::audit
