#pragma once

#include "core/audit.hpp"

#include <string>
#include <utility>
#include <vector>

namespace sagabox::core::audit {

/// One rule: the name under which it is reported, and what a person can do.
struct Rule {
    std::string_view name;
    std::string_view cure;
};

namespace rules {

// How events end.
inline constexpr Rule completed_with_a_step_missing{
    "completed_with_a_step_missing",
    "ask the service whether the step took effect; if not, emit the event again"};
inline constexpr Rule compensated_with_a_success_left{
    "compensated_with_a_success_left",
    "cancel the event (`sagabox cancel`), which undoes what is left"};
inline constexpr Rule cancelled_with_a_success_left{
    "cancelled_with_a_success_left",
    "cancel the event again (`sagabox cancel`), which undoes what is left"};
inline constexpr Rule given_up_though_complete{"given_up_though_complete",
                                               "look at its letter: nothing had failed for good"};
inline constexpr Rule called_after_the_end{
    "called_after_the_end",
    "look for a worker without a lease or a row written by hand; cancel the event if it is to be "
    "undone"};

// Single calls.
inline constexpr Rule success_recorded_twice{"success_recorded_twice",
                                             "ask the service whether its effect is there twice"};
inline constexpr Rule called_after_success{"called_after_success",
                                           "ask the service whether its effect is there twice"};
inline constexpr Rule called_after_undoing{
    "called_after_undoing", "ask the service whether the effect stands, and undo it by hand"};
inline constexpr Rule called_after_rejection{
    "called_after_rejection", "look for who called again: nobody had forgiven the refusal"};
inline constexpr Rule called_before_its_pause{
    "called_before_its_pause", "compare the clocks of the relays' machines with PostgreSQL's"};
inline constexpr Rule attempt_numbers_skip{"attempt_numbers_skip",
                                           "look for rows that were deleted or written by hand"};
inline constexpr Rule more_attempts_than_allowed{
    "more_attempts_than_allowed",
    "look for who called again: outbox.maxRetries and outbox.dlq.maxRetries bound it"};
inline constexpr Rule step_out_of_turn{"step_out_of_turn",
                                       "look for rows that were deleted or written by hand"};
inline constexpr Rule other_route_than_decided{
    "other_route_than_decided",
    "compare the stored request and answers with the routes' conditions"};
inline constexpr Rule reverts_out_of_order{
    "reverts_out_of_order", "check by hand whether the services mind the order of the undoing"};
inline constexpr Rule revert_of_nothing{
    "revert_of_nothing", "ask the service what was undone: no call had taken effect"};
inline constexpr Rule undone_twice{"undone_twice", "ask the service what was undone twice"};
inline constexpr Rule outcome_denies_success{
    "outcome_denies_success",
    "set success to (outcome = 'succeeded'); nothing but a hand can have changed it"};
inline constexpr Rule began_out_of_turn{"began_out_of_turn",
                                        "check that all relays have outbox.ordering = aggregate"};
inline constexpr Rule result_without_event{"result_without_event",
                                           "delete the rows if their event was deleted by hand"};

// Columns.
inline constexpr Rule processing_without_a_lease{
    "processing_without_a_lease", "a running relay takes it over; look for who cleared the lease"};
inline constexpr Rule lease_without_an_owner{
    "lease_without_an_owner", "a running relay takes it over; look for who cleared the owner"};
inline constexpr Rule lease_on_idle_row{"lease_on_idle_row",
                                        "set lease_owner and lease_expires_at to null"};
inline constexpr Rule expired_lease_left{
    "expired_lease_left",
    "start a relay; if one runs, check outbox.enableStaleEventCleanup and its log"};
inline constexpr Rule retry_time_out_of_place{
    "retry_time_out_of_place",
    "set next_retry_at to null: no relay finds a row at work again that has one"};
inline constexpr Rule active_in_dead_letters{"active_in_dead_letters",
                                             "set moved_to_dlq to false, or end the event"};
inline constexpr Rule dead_letter_missing{
    "dead_letter_missing", "cancel the event (`sagabox cancel`), which undoes what it did"};
inline constexpr Rule failed_though_no_cancel{
    "failed_though_no_cancel", "set the status back: only an event `!X` becomes FAILED"};
inline constexpr Rule letter_without_event{"letter_without_event",
                                           "delete the letter: nothing tells what it would undo"};
inline constexpr Rule letter_of_event_not_given_up{
    "letter_of_event_not_given_up", "resolve the letter, or set the event's moved_to_dlq"};
inline constexpr Rule two_live_letters{
    "two_live_letters", "resolve all but the latest letter before a relay undoes by both"};
inline constexpr Rule idempotency_key_taken_twice{
    "idempotency_key_taken_twice",
    "end one of the two and rebuild the unique index outbox_idempotency"};

} // namespace rules

/// Gathers what is found of one event.
class Report {
public:
    Report(const Terms& terms, const EventFacts& facts) : terms_(terms), facts_(facts) {}

    void finding(const Rule& rule, std::string what)
    {
        add(rule, Weight::finding, std::move(what));
    }

    /// By today's plan only. `rows_are_whole`: something besides the plan says that no row is
    /// missing, so that it is the plan that must have changed, if it can have.
    void by_plan(const Rule& rule, bool rows_are_whole, std::string what)
    {
        const bool may_have_changed = facts_.event.created_at < terms_.plan_since;
        add(rule, may_have_changed && rows_are_whole ? Weight::note : Weight::finding,
            std::move(what));
    }

    [[nodiscard]] std::size_t size() const { return findings_.size(); }
    [[nodiscard]] std::vector<Finding> take() { return std::move(findings_); }

private:
    void add(const Rule& rule, Weight weight, std::string what)
    {
        findings_.push_back({rule.name, weight, facts_.event.id, facts_.event.aggregate_id,
                             std::move(what), rule.cure});
    }

    const Terms& terms_;
    const EventFacts& facts_;
    std::vector<Finding> findings_;
};

/// Statuses, leases, letters and what goes with them.
void judge_columns(const Terms& terms, const EventFacts& facts, DbTime now, Report& report);

/// Each row against the rows before it.
void judge_steps(const Plan& plan, const Terms& terms, const EventFacts& facts, Report& report);

/// The rows as a whole against how the event ended.
void judge_end(const Plan& plan, const Terms& terms, const EventFacts& facts,
               std::span<const EventFacts* const> earlier, Report& report);

/// Whether it began while an earlier event of its aggregate was being worked on.
void judge_order(const Terms& terms, const EventFacts& facts,
                 std::span<const EventFacts* const> earlier, Report& report);

/// Results up to this one may have been forgiven at some time.
[[nodiscard]] ResultId forgiven_bound(const EventFacts& facts);

/// `step b.revert, attempt 2 (result 17)`
[[nodiscard]] std::string step_text(const StepResult& row);

/// Whether a status is one that somebody is to work on.
[[nodiscard]] inline bool active(EventStatus status)
{
    return status == EventStatus::PENDING || status == EventStatus::PROCESSING;
}
[[nodiscard]] inline bool active(LetterStatus status)
{
    return status == LetterStatus::PENDING || status == LetterStatus::PROCESSING;
}

} // namespace sagabox::core::audit
