#include "app/commands.hpp"
#include "app/event_query.hpp"
#include "app/exit_code.hpp"
#include "app/wiring.hpp"
#include "core/decide.hpp"
#include "store/requests.hpp"

#include <chrono>
#include <iostream>
#include <utility>

namespace sagabox::app {

namespace {

/// A moment past every wait: `explain` asks what comes next, not when.
DbTime after_all_waits()
{
    return {std::chrono::hours(24 * 365 * 1000)};
}

void explain_next(const core::Plan& plan, const core::History& history)
{
    const core::EventStatus status = history.event.status;
    std::cout << "event " << history.event.id.value << ' ' << history.event.type << " of "
              << history.event.aggregate_id << ": " << core::to_label(status);
    if (history.letter) {
        std::cout << ", dead letter " << core::to_label(*history.letter);
    }
    std::cout << '\n';
    const bool over =
        status != core::EventStatus::PENDING && status != core::EventStatus::PROCESSING;
    const bool letter_open = history.letter == core::LetterStatus::PENDING ||
                             history.letter == core::LetterStatus::PROCESSING;
    if (over && !letter_open) {
        std::cout << "next: nothing; it has ended\n";
        return;
    }
    if (core::is_cancellation(history.event.type)) {
        std::cout << "next: undo what the aggregate's " << core::cancelled_type(history.event.type)
                  << " events did; `explain` each of them to see how\n";
        return;
    }
    core::Saga saga;
    saga.own = history;
    if (letter_open) {
        saga.errand = core::Compensation{};
    }
    std::cout << "next: " << core::describe(core::decide(plan, saga, after_all_waits())) << '\n';
}

/// Plays a cancel of the event through `decide`, each undo succeeding.
void explain_undo(const core::Plan& plan, const core::History& history)
{
    core::Saga cancel;
    cancel.own.event = history.event;
    cancel.own.event.deaths = 0;
    core::Cancellation errand{{history}};
    errand.targets[0].event.status = core::EventStatus::PROCESSED;
    errand.targets[0].letter.reset();
    cancel.errand = std::move(errand);

    int number = 0;
    for (;;) {
        const core::Action action = core::decide(plan, cancel, after_all_waits());
        const auto* call = std::get_if<core::MakeCall>(&action);
        if (call == nullptr) {
            if (const auto* person = std::get_if<core::NeedsPerson>(&action)) {
                std::cout << "undo stops: " << person->why << '\n';
            } else if (number == 0) {
                std::cout << "undo: nothing that it did needs undoing\n";
            }
            return;
        }
        std::cout << "undo " << ++number << ": " << call->call.request.method << ' '
                  << call->call.row.endpoint_url;
        if (call->call.request.body) {
            std::cout << ' ' << json::write(call->call.row.request);
        }
        std::cout << '\n';
        core::StepResult undone = call->call.row;
        undone.outcome = core::Outcome::succeeded;
        std::get<core::Cancellation>(cancel.errand).targets[0].results.push_back(std::move(undone));
    }
}

} // namespace

int explain(const std::string& file, std::int64_t event)
{
    const std::optional<config::Settings> settings = load_or_explain(file);
    if (!settings) {
        return misuse;
    }
    const auto found = ask_about(*settings, EventId{event}, &store::find_history);
    if (!found) {
        std::cerr << found.error().text() << '\n';
        return failed;
    }
    if (!*found) {
        std::cerr << "there is no event " << event << " in outbox_events\n";
        return failed;
    }
    explain_next(*settings->plan, **found);
    if (!core::is_cancellation((*found)->event.type)) {
        explain_undo(*settings->plan, **found);
    }
    return done;
}

} // namespace sagabox::app
