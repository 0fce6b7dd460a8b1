#include "engine/watcher.hpp"

#include "base/log.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace sagabox::engine {

namespace {

std::string who(const core::Saga& saga)
{
    const core::Event& event = saga.own.event;
    return fmt::format("event {} {} of {}", event.id.value, event.type, event.aggregate_id);
}

std::string in_words(std::chrono::microseconds pause)
{
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(pause).count();
    return ms < 1'000 ? fmt::format("{} ms", std::max<long>(ms, 0))
                      : fmt::format("{}.{} s", ms / 1'000, ms / 100 % 10);
}

std::string what_follows(const core::StepResult& row, const core::Action& next)
{
    if (const auto* wait = std::get_if<core::Wait>(&next)) {
        return "again in " + in_words(wait->until - row.published_at);
    }
    if (const auto* call = std::get_if<core::MakeCall>(&next)) {
        const bool revert = call->call.row.direction == core::Direction::revert;
        return call->call.row.destination + (revert ? ".revert" : "");
    }
    if (const auto* mail = std::get_if<core::SendMail>(&next)) {
        return "email by " + mail->mailing.provider;
    }
    return core::describe(next);
}

void tell(log::Level level, const core::Saga& saga, std::string_view what)
{
    const core::Event& event = saga.own.event;
    log::write(
        level, "saga", fmt::format("{}: {}", who(saga), what),
        {{"event", event.id.value}, {"type", event.type}, {"aggregate", event.aggregate_id}});
}

} // namespace

std::string narrate(const core::Saga& saga, const core::StepResult& row, const core::Action& next)
{
    const bool revert = row.direction == core::Direction::revert;
    const std::string step = row.destination + (revert ? ".revert" : "");
    if (row.outcome == core::Outcome::skipped) {
        return fmt::format("{}: {} skipped, {}; next: {}", who(saga), step, row.error,
                           what_follows(row, next));
    }
    const std::string answer =
        row.response_status ? std::to_string(*row.response_status) : "no answer";
    const std::string error = row.error.empty() ? "" : " (" + row.error + ")";
    return fmt::format("{}: {} attempt {} {} -> {}{} in {} ms: {}; next: {}", who(saga), step,
                       row.attempt, row.http_method, answer, error, row.duration.count(),
                       core::to_label(row.outcome), what_follows(row, next));
}

void LogWatcher::step(const core::Saga& saga, const core::StepResult& row, const core::Action& next)
{
    const bool good =
        row.outcome == core::Outcome::succeeded || row.outcome == core::Outcome::skipped;
    const log::Level level = good ? log::Level::info : log::Level::warning;
    if (!log::enabled(level, "saga")) {
        return;
    }
    const core::Event& event = saga.own.event;
    const std::string follows = what_follows(row, next);
    log::write(level, "saga", narrate(saga, row, next),
               {{"event", event.id.value},
                {"type", event.type},
                {"aggregate", event.aggregate_id},
                {"destination", row.destination},
                {"direction", row.direction == core::Direction::revert ? "revert" : "forward"},
                {"attempt", row.attempt},
                {"status", row.response_status.value_or(0)},
                {"outcome", core::to_label(row.outcome)},
                {"durationMs", row.duration.count()},
                {"error", row.error},
                {"next", follows}});
}

void LogWatcher::settled(const core::Saga& saga, const core::Action& last)
{
    const bool bad = std::holds_alternative<core::GiveUp>(last) ||
                     std::holds_alternative<core::NeedsPerson>(last);
    if (bad) {
        tell(log::Level::warning, saga, core::describe(last));
    } else if (log::enabled(log::Level::debug, "saga")) {
        tell(log::Level::debug, saga, core::describe(last));
    }
}

void LogWatcher::lease_lost(const core::Saga& saga)
{
    tell(log::Level::warning, saga,
         "lease lost; another worker has it, and what was done here is not written down");
}

void Watchers::step(const core::Saga& saga, const core::StepResult& row, const core::Action& next)
{
    for (Watcher* const watcher : all_) {
        watcher->step(saga, row, next);
    }
}

void Watchers::settled(const core::Saga& saga, const core::Action& last)
{
    for (Watcher* const watcher : all_) {
        watcher->settled(saga, last);
    }
}

void Watchers::lease_lost(const core::Saga& saga)
{
    for (Watcher* const watcher : all_) {
        watcher->lease_lost(saga);
    }
}

void Watchers::claimed(std::size_t sagas)
{
    for (Watcher* const watcher : all_) {
        watcher->claimed(sagas);
    }
}

void Watchers::claim_failed()
{
    for (Watcher* const watcher : all_) {
        watcher->claim_failed();
    }
}

void Watchers::flushed(const store::Journal::Flushed& flush)
{
    for (Watcher* const watcher : all_) {
        watcher->flushed(flush);
    }
}

void Watchers::listen_began()
{
    for (Watcher* const watcher : all_) {
        watcher->listen_began();
    }
}

void Watchers::listen_lost()
{
    for (Watcher* const watcher : all_) {
        watcher->listen_lost();
    }
}

void Watchers::surveyed(const Result<Survey>& survey)
{
    for (Watcher* const watcher : all_) {
        watcher->surveyed(survey);
    }
}

} // namespace sagabox::engine
