#pragma once

#include "engine/crowd.hpp"
#include "engine/housekeeper.hpp"
#include "engine/listener.hpp"
#include "engine/options.hpp"
#include "engine/watcher.hpp"
#include "engine/worker.hpp"

#include <chrono>
#include <memory>
#include <vector>

namespace sagabox::engine {

/// The relay of one process: its workers, its listener and its housekeeper. Any number of relays
/// may run against one database; they share the work with nothing to configure.
class Relay {
public:
    /// `watcher` must outlive the relay.
    Relay(Options options, std::shared_ptr<const core::Plan> plan, Watcher& watcher);

    /// Stops as by `stop` where that has not been done.
    ~Relay();

    void start();

    /// Puts another plan in force, for each worker from its next decision on. What is under way
    /// goes on by what is written down. Thread-safe.
    void reload(std::shared_ptr<const core::Plan> plan);

    /// No new claims and no new calls; calls under way may end within the grace, and what they
    /// brought is written down. Then the rest is cut, recorded as unknown, and all leases are
    /// handed back.
    void stop();

    /// Whether every worker could reach the database at its last try. Thread-safe.
    [[nodiscard]] bool database_up() const;
    [[nodiscard]] bool listening() const;
    /// How long the worker that has stood still longest has done nothing at all. Thread-safe.
    [[nodiscard]] std::chrono::milliseconds standstill() const;

private:
    Options options_;
    Crowd crowd_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::unique_ptr<Listener> listener_;
    Housekeeper housekeeper_;
    bool stopped_ = false;
};

} // namespace sagabox::engine
