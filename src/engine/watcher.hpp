#pragma once

#include "core/decide.hpp"
#include "core/saga.hpp"

namespace sagabox::engine {

/// Told of what the relay does, as it does it: the log, the demo's terminal, metrics. Called from
/// the workers' threads; must not block.
class Watcher {
public:
    virtual ~Watcher() = default;

    /// A call was made, or a step passed over; `next` is what follows. Not yet written down.
    virtual void step(const core::Saga& saga, const core::StepResult& row,
                      const core::Action& next) = 0;

    /// A saga's claim has ended, and the end is written down.
    virtual void settled(const core::Saga& saga, const core::Action& last) = 0;

    /// A lease was lost: nothing of what was done under it was written down.
    virtual void lease_lost(const core::Saga& saga) = 0;
};

/// Writes one line per attempt to the log: event, aggregate, destination, attempt, status,
/// duration, and what happens next.
class LogWatcher : public Watcher {
public:
    void step(const core::Saga& saga, const core::StepResult& row,
              const core::Action& next) override;
    void settled(const core::Saga& saga, const core::Action& last) override;
    void lease_lost(const core::Saga& saga) override;
};

/// The line that `LogWatcher::step` writes.
[[nodiscard]] std::string narrate(const core::Saga& saga, const core::StepResult& row,
                                  const core::Action& next);

} // namespace sagabox::engine
