#pragma once

#include "base/task.hpp"
#include "engine/options.hpp"
#include "engine/watcher.hpp"
#include "store/session.hpp"

namespace sagabox::engine {

/// Asks the database from time to time how the outbox fares, and tells the watcher.
///
/// Here and not where somebody asks for the figures, so that they cost the same however often they
/// are read. The statements are bounded: no table is ever counted.
class Surveyor {
public:
    /// `options` and `watcher` must outlive it.
    Surveyor(Executor executor, const Options& options, Watcher& watcher);

    /// Looks for as long as it is not cancelled.
    Task<void> run();

    void close() { session_.close(); }

private:
    Task<Result<Survey>> look();

    const Options& options_;
    Watcher& watcher_;
    store::Session session_;
};

} // namespace sagabox::engine
