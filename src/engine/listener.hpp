#pragma once

#include "base/scope.hpp"
#include "engine/options.hpp"
#include "engine/worker.hpp"
#include "store/session.hpp"

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include <asio/io_context.hpp>

namespace sagabox::engine {

/// Hears new events while the relay's workers sleep, and wakes one of them.
///
/// Only a hint: every loop is right without it, at poll speed. A connection that goes deaf is
/// noticed by a question asked when nothing was heard for a while, opened again, and followed by a
/// look for what it missed. One that never hears, as behind a pooler in transaction mode, is found
/// out by ringing at it before anybody relies on it.
class Listener {
public:
    /// What the listener tells; called from its thread.
    struct Calls {
        std::function<void(int worker)> wake;
        std::function<void(int worker)> wake_letters;
        std::function<void(int worker)> armed;
        std::function<void()> began; ///< LISTEN is in force
        std::function<void()> lost;  ///< it is not any more
    };

    Listener(const Options& options, int workers, Calls calls);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    void start();
    void stop();

    /// From any thread: what a worker is up to.
    void report(int worker, Appetite appetite);

    /// Whether LISTEN is in force now: for metrics and readiness.
    [[nodiscard]] bool listening() const { return listening_; }

private:
    Task<void> run();
    Task<void> close();
    Task<Result<void>> serve(pg::Connection& connection);
    Task<Result<bool>> hears(pg::Connection& connection);
    struct Heard;
    Task<void> hear(pg::Connection& connection, std::shared_ptr<Heard> heard, Deadline deadline);
    Task<Result<void>> arm(pg::Connection& connection);
    Task<Result<void>> disarm(pg::Connection& connection);
    [[nodiscard]] bool all_rest() const;
    void wake_somebody();
    void wake_everybody();

    asio::io_context context_{1};
    pg::Options ringer_; ///< of the session that tells whether we hear
    store::Session session_;
    Calls calls_;
    Scope loops_;
    Scope ears_; ///< the wait for a notification, cut short when a worker's appetite changes
    Scope closing_;
    std::vector<Appetite> appetites_;
    std::size_t next_ = 0;
    bool locked_ = false;
    Signal changed_;
    std::atomic<bool> listening_{false};
    std::thread thread_;
};

} // namespace sagabox::engine
