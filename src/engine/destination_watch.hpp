#pragma once

#include "base/clock.hpp"
#include "engine/watcher.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace sagabox::engine {

/// Knows which destinations bring nothing but failures.
///
/// A call that failed, or whose outcome is unknown, tells against its destination. One that
/// succeeded or was rejected tells for it: who refuses a request works. One failure alone says
/// little, so what counts is the span from the first to the latest of them.
class DestinationWatch : public Watcher {
public:
    /// `memory`: how long a failure counts when nothing is heard after it. Must be longer than the
    /// pauses between retries.
    explicit DestinationWatch(std::chrono::milliseconds memory) : memory_(memory) {}

    struct Failing {
        std::string destination;
        std::chrono::milliseconds lasting{0}; ///< from the first to the latest failure
        int failures = 0;                     ///< since the last call that told for it
    };

    /// Destinations of which nothing good was heard since a failure, by name.
    [[nodiscard]] std::vector<Failing> failing(Instant now) const;

    void step(const core::Saga& saga, const core::StepResult& row,
              const core::Action& next) override;
    void settled(const core::Saga&, const core::Action&) override {}
    void lease_lost(const core::Saga&) override {}

    void heard(const std::string& destination, core::Outcome outcome, Instant at);

private:
    struct Streak {
        Instant first;
        Instant latest;
        int failures = 0;
    };

    std::chrono::milliseconds memory_;
    mutable std::mutex mutex_; ///< workers tell, whoever asks for health or metrics reads
    std::map<std::string, Streak, std::less<>> streaks_;
};

} // namespace sagabox::engine
