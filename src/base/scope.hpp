#pragma once

#include "base/clock.hpp"
#include "base/task.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace sagabox {

/// Owns the tasks that it starts: nothing in the program runs detached.
///
/// Lives on one executor and is not thread-safe. Destroying a scope whose tasks have not ended is a
/// bug and ends the process.
class Scope {
public:
    /// `name` appears in the log when a task ends by an exception.
    Scope(Executor executor, std::string name);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    /// Starts a task. An exception other than asio's `operation_aborted` that escapes it is a bug
    /// of ours: it is logged and ends the process.
    void start(Task<void> task);

    /// Asks every running task to stop: its current wait ends with `operation_aborted`.
    void cancel();

    /// Waits until no task is running, at most until `deadline`; true when none is left.
    Task<bool> join(Deadline deadline);

    [[nodiscard]] std::size_t running() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

/// A flag that tasks of one executor can wait for. Setting it wakes all who wait; it stays set
/// until `clear`. Not thread-safe.
class Signal {
public:
    Signal();
    ~Signal();
    Signal(const Signal&) = delete;
    Signal& operator=(const Signal&) = delete;

    void set();
    void clear();
    [[nodiscard]] bool is_set() const;

    /// Waits until the flag is set, at most until `deadline`; true when it is set.
    Task<bool> wait(Deadline deadline);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Sleeps until `deadline`; ends early with `operation_aborted` when the task's scope is cancelled.
Task<void> sleep_until(Instant at);

} // namespace sagabox
