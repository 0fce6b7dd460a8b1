#pragma once

#include "base/scope.hpp"
#include "base/task.hpp"
#include "engine/options.hpp"
#include "engine/surveyor.hpp"
#include "engine/watcher.hpp"
#include "store/session.hpp"

#include <thread>

#include <asio/io_context.hpp>

namespace sagabox::engine {

/// Deletes what has been kept long enough: finished events with their results and letters, and sent
/// messages with their attachments. Tells the watcher in between how the outbox fares. And, once,
/// puts the rules by which mail is taken in into force.
///
/// One thread for the process, in small transactions with pauses between them, so that it never
/// holds a lock for long and never falls behind for good. Several relays may do it at once: each
/// passes over what another has locked.
class Housekeeper {
public:
    /// `watcher` must outlive it.
    Housekeeper(const Options& options, Watcher& watcher);
    ~Housekeeper();
    Housekeeper(const Housekeeper&) = delete;
    Housekeeper& operator=(const Housekeeper&) = delete;

    void start();
    void stop();

private:
    Task<void> main_loop();
    Task<void> keep_house();
    Task<void> publish_rules();
    Task<void> purge();

    Options options_;
    asio::io_context context_{1};
    store::Session session_;
    Surveyor surveyor_;
    Signal stopping_;
    Scope loops_;
    std::thread thread_;
};

} // namespace sagabox::engine
