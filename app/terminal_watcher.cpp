#include "app/terminal_watcher.hpp"

#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace sagabox::app {

namespace {

std::string who(const core::Saga& saga)
{
    constexpr std::string_view letter = "email:";
    const core::Event& event = saga.own.event;
    const std::string_view id = event.aggregate_id;
    const bool mail = id.starts_with(letter);
    return fmt::format("{} {:<4} {:<18} #{:<4}", mail ? "mail " : "order",
                       mail ? id.substr(letter.size()) : id, event.type, event.id.value);
}

std::string_view mark(core::Outcome outcome)
{
    switch (outcome) {
    case core::Outcome::succeeded:
        return "ok";
    case core::Outcome::rejected:
        return "no";
    case core::Outcome::failed:
        return "failed";
    case core::Outcome::unknown:
        return "unknown";
    case core::Outcome::skipped:
        return "skipped";
    }
    return "?";
}

std::string ending(const core::Saga& saga, const core::Action& last)
{
    const bool letter = std::holds_alternative<core::Compensation>(saga.errand);
    if (std::holds_alternative<core::Finish>(last)) {
        if (letter) {
            return "undone: every step that succeeded has been reverted";
        }
        return core::is_cancellation(saga.own.event.type) ? "cancelled: all is undone"
                                                          : "done: every step succeeded";
    }
    if (const auto* wait = std::get_if<core::Wait>(&last)) {
        return "waits, then tries again: " + wait->why;
    }
    if (const auto* up = std::get_if<core::GiveUp>(&last)) {
        return "fails for good, so what was done is undone: " + up->why;
    }
    if (const auto* person = std::get_if<core::NeedsPerson>(&last)) {
        return "needs a person: " + person->why;
    }
    if (std::holds_alternative<core::StopForCancel>(last)) {
        return "stopped, since a cancel waits for it";
    }
    return core::describe(last);
}

} // namespace

void TerminalWatcher::print(const std::string& line)
{
    const std::lock_guard lock(mutex_);
    std::fputs(line.c_str(), stdout);
    std::fflush(stdout);
}

void TerminalWatcher::step(const core::Saga& saga, const core::StepResult& row, const core::Action&)
{
    const bool revert = row.direction == core::Direction::revert;
    const std::string step = row.destination + (revert ? ".revert" : "");
    const std::string answer = row.response_status ? std::to_string(*row.response_status) : "-";
    print(fmt::format("{} {} {:<20} {:>3} {:>5} ms  {}{}{}\n", who(saga), revert ? "<-" : "->",
                      step, answer, row.duration.count(), mark(row.outcome),
                      row.attempt > 1 ? fmt::format(", attempt {}", row.attempt) : "",
                      row.error.empty() ? "" : ": " + row.error));
}

void TerminalWatcher::settled(const core::Saga& saga, const core::Action& last)
{
    print(fmt::format("{} == {}\n", who(saga), ending(saga, last)));
}

void TerminalWatcher::lease_lost(const core::Saga& saga)
{
    print(fmt::format("{} == lease lost: another worker goes on with it\n", who(saga)));
}

} // namespace sagabox::app
