#pragma once

#include <chrono>

namespace sagabox::app {

/// Signals as a program with threads must take them: blocked in every thread, taken by one that
/// waits for them. Made first in `main`'s command, before any thread starts.
class Signals {
public:
    Signals();

    enum class What { stop, reload, nothing };

    /// Waits for SIGINT, SIGTERM (stop) or SIGHUP (reload).
    [[nodiscard]] What wait();

    /// The same, for at most `limit`; `nothing` when none came.
    [[nodiscard]] What wait_for(std::chrono::milliseconds limit);

    /// From now on a further SIGINT or SIGTERM ends the process at once.
    static void let_the_next_one_kill();
};

} // namespace sagabox::app
