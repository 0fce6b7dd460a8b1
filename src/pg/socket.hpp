#pragma once

#include "base/clock.hpp"
#include "base/task.hpp"

#include <cstdint>
#include <memory>

namespace sagabox::pg {

/// Waits on a file descriptor that libpq owns. Never reads, writes or closes it.
class Socket {
public:
    explicit Socket(Executor executor);
    ~Socket();
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    /// Must be undone by `detach` before libpq may close or change the descriptor.
    void attach(int descriptor);
    void detach();

    enum class Want : std::uint8_t { read, write, either };
    enum class Woken : std::uint8_t { ready, deadline };

    /// Waits until libpq should look at the descriptor again; it may wake without need. Ends with
    /// `operation_aborted` when the task is cancelled.
    [[nodiscard]] Task<Woken> wait(Want want, Deadline deadline);

private:
    struct Watch;
    Executor executor_;
    std::shared_ptr<Watch> watch_;
};

} // namespace sagabox::pg
