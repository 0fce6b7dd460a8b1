#pragma once

#include "engine/watcher.hpp"

#include <mutex>

namespace sagabox::app {

/// Prints a readable line for every step of every saga, and for its end, to standard output.
class TerminalWatcher : public engine::Watcher {
public:
    void step(const core::Saga& saga, const core::StepResult& row,
              const core::Action& next) override;
    void settled(const core::Saga& saga, const core::Action& last) override;
    void lease_lost(const core::Saga& saga) override;

private:
    void print(const std::string& line);

    std::mutex mutex_; ///< lines of several workers do not mix
};

} // namespace sagabox::app
