#include "engine/destination_watch.hpp"

namespace sagabox::engine {

std::vector<DestinationWatch::Failing> DestinationWatch::failing(Instant now) const
{
    std::vector<Failing> found;
    const std::lock_guard lock(mutex_);
    for (const auto& [name, streak] : streaks_) {
        if (now - streak.latest <= memory_) {
            found.push_back({name,
                             std::chrono::duration_cast<std::chrono::milliseconds>(streak.latest -
                                                                                   streak.first),
                             streak.failures});
        }
    }
    return found;
}

void DestinationWatch::step(const core::Saga&, const core::StepResult& row, const core::Action&)
{
    heard(row.destination, row.outcome, std::chrono::steady_clock::now());
}

void DestinationWatch::heard(const std::string& destination, core::Outcome outcome, Instant at)
{
    if (outcome == core::Outcome::skipped) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (outcome == core::Outcome::succeeded || outcome == core::Outcome::rejected) {
        streaks_.erase(destination);
        return;
    }
    Streak& streak = streaks_[destination];
    if (streak.failures == 0 || at - streak.latest > memory_) {
        streak = {.first = at, .latest = at, .failures = 0};
    }
    streak.latest = at;
    ++streak.failures;
}

} // namespace sagabox::engine
