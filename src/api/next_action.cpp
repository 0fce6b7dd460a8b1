#include "api/next_action.hpp"

#include "api/forms.hpp"
#include "core/decide.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace sagabox::api {

namespace {

/// A moment past every wait: what comes next is asked, and when it does is read from the rows.
DbTime after_all_waits()
{
    return {std::chrono::hours(24 * 365 * 1000)};
}

const char* name_of(const core::Action& action)
{
    struct Name {
        const char* operator()(const core::MakeCall&) const { return "call"; }
        const char* operator()(const core::SendMail&) const { return "sendMail"; }
        const char* operator()(const core::SkipStep&) const { return "skip"; }
        const char* operator()(const core::Wait&) const { return "wait"; }
        const char* operator()(const core::Finish&) const { return "finish"; }
        const char* operator()(const core::GiveUp&) const { return "giveUp"; }
        const char* operator()(const core::NeedsPerson&) const { return "needsPerson"; }
        const char* operator()(const core::StopForCancel&) const { return "stop"; }
        const char* operator()(const core::CancelWaiting&) const { return "cancelWaiting"; }
    };
    return std::visit(Name{}, action);
}

core::Saga saga_of(const store::EventDetail& detail)
{
    core::Saga saga;
    saga.own = detail.history;
    if (!is_open(detail.event.status)) {
        saga.errand =
            core::Compensation{.letter = detail.letter->id, .reason = detail.letter->reason};
    } else if (core::is_cancellation(detail.event.type)) {
        saga.errand = core::Cancellation{detail.targets};
    }
    return saga;
}

/// From when on it may happen.
std::optional<DbTime> time_of(const store::EventDetail& detail)
{
    if (is_open(detail.event.status)) {
        return detail.event.status == core::EventStatus::PENDING
                   ? std::optional(detail.event.next_retry_at.value_or(detail.now))
                   : std::nullopt;
    }
    return detail.letter->status == core::LetterStatus::PENDING
               ? std::optional(detail.letter->next_retry_at.value_or(detail.now))
               : std::nullopt;
}

} // namespace

bool is_open(core::EventStatus status)
{
    return status == core::EventStatus::PENDING || status == core::EventStatus::PROCESSING;
}

bool is_open(core::LetterStatus status)
{
    return status == core::LetterStatus::PENDING || status == core::LetterStatus::PROCESSING;
}

json::Value next_action(const core::Plan& plan, const Forms& forms,
                        const store::EventDetail& detail)
{
    json::Object form;
    if (!is_open(detail.event.status) && !(detail.letter && is_open(detail.letter->status))) {
        if (!detail.letter || detail.letter->status != core::LetterStatus::FAILED) {
            return {};
        }
        form.set("action", "needsPerson");
        form.set("description", "a person must retry or resolve its dead letter");
        form.set("at", json::Value{});
        return form;
    }
    const core::Action action = core::decide(plan, saga_of(detail), after_all_waits());
    form.set("action", name_of(action));
    form.set("at", moment(time_of(detail)));
    if (const auto* call = std::get_if<core::MakeCall>(&action)) {
        const core::StepResult& row = call->call.row;
        const bool revert = row.direction == core::Direction::revert;
        form.set("description", core::describe(action));
        form.set("destination", row.destination + (revert ? ".revert" : ""));
        form.set("httpMethod", row.http_method);
        form.set("endpointUrl", row.endpoint_url);
        form.set("attempt", json::Value::integer(row.attempt));
    } else {
        form.set("description", forms.shown(core::describe(action)));
    }
    return form;
}

} // namespace sagabox::api
