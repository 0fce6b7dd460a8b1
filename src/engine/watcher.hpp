#pragma once

#include "core/decide.hpp"
#include "core/saga.hpp"
#include "engine/survey.hpp"
#include "store/journal.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace sagabox::engine {

/// Told of what the relay does, as it does it: the log, the demo's terminal, metrics. Called from
/// the relay's threads, several at once; must not block.
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

    // What most watchers have no use for:

    /// A worker took so many events or letters.
    virtual void claimed(std::size_t /*sagas*/) {}
    /// A look for work failed; it is made again.
    virtual void claim_failed() {}
    /// A worker's journal has committed a flush.
    virtual void flushed(const store::Journal::Flushed& /*flush*/) {}
    /// LISTEN is in force from now on.
    virtual void listen_began() {}
    /// LISTEN is no longer in force; events are found at poll speed until it is back.
    virtual void listen_lost() {}
    /// The database was asked how the outbox fares. A fault: it could not be.
    virtual void surveyed(const Result<Survey>& /*survey*/) {}
};

/// Tells several watchers, in their order.
class Watchers : public Watcher {
public:
    /// They must outlive this.
    explicit Watchers(std::vector<Watcher*> all) : all_(std::move(all)) {}

    void step(const core::Saga& saga, const core::StepResult& row,
              const core::Action& next) override;
    void settled(const core::Saga& saga, const core::Action& last) override;
    void lease_lost(const core::Saga& saga) override;
    void claimed(std::size_t sagas) override;
    void claim_failed() override;
    void flushed(const store::Journal::Flushed& flush) override;
    void listen_began() override;
    void listen_lost() override;
    void surveyed(const Result<Survey>& survey) override;

private:
    std::vector<Watcher*> all_;
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
