#pragma once

#include "core/call.hpp"
#include "core/mail.hpp"
#include "core/plan.hpp"
#include "core/saga.hpp"

#include <string>
#include <variant>
#include <vector>

namespace sagabox::core {

/// Make this call, write its row, decide again.
struct MakeCall {
    Call call;
};

/// Let this provider try to send this stored message, write its row, decide again.
struct SendMail {
    Mailing mailing;
    StepResult row; ///< all but what only the answer can tell
};

/// No route matched: write this row and decide again. No call is made.
struct SkipStep {
    StepResult row;
};

/// Give the saga back; it is due again at `until`.
struct Wait {
    DbTime until;
    int retry_count = 0; ///< retries of the step at hand so far, this one included
    std::string why;
};

/// All is done: a forward event is completed, a letter compensated, a cancellation carried out.
struct Finish {};

/// The forward run fails for good: a dead letter is written and compensation begins.
struct GiveUp {
    LetterReason reason;
    std::string why;
    int retry_count = 0;
};

/// A compensation can't go on: the letter is FAILED, and nothing more is undone until a person
/// acts.
struct NeedsPerson {
    LetterReason reason;
    std::string why;
    int retry_count = 0;
};

/// A `!X` waits for this event to stop: it becomes CANCELLED, and the `!X` undoes what it did.
struct StopForCancel {};

/// These events wait for a retry, or have never begun: they become CANCELLED, each only if it is
/// still PENDING, before anything of theirs is undone.
struct CancelWaiting {
    std::vector<EventId> events;
};

using Action = std::variant<MakeCall, SendMail, SkipStep, Wait, Finish, GiveUp, NeedsPerson,
                            StopForCancel, CancelWaiting>;

/// What comes next for a saga, from what is written down about it.
///
/// Holds every rule of the contract's section 5: forward run, resume, retry, giving up,
/// compensation, unknown outcomes, cancel, poison. A retry, a takeover after a crash and a
/// compensation differ only in the results they bring. Pure: reads no clock and no random source;
/// `now` is PostgreSQL's clock.
///
/// Ends: carrying out the actions and deciding again reaches `Wait` or one of the final actions
/// (`Finish`, `GiveUp`, `NeedsPerson`, `StopForCancel`) after finitely many steps.
[[nodiscard]] Action decide(const Plan& plan, const Saga& saga, DbTime now);

/// What follows when PostgreSQL refused the outcome SQL that was to end the saga: it is tried
/// again, for ever, at the backoff's pace. It never undoes what has succeeded, and the event stays
/// visible as waiting.
[[nodiscard]] Wait wait_after_refusal(const Plan& plan, const Saga& saga, const std::string& error,
                                      DbTime now);

/// One line for a log or a terminal: what an action is about to do.
[[nodiscard]] std::string describe(const Action& action);

} // namespace sagabox::core
