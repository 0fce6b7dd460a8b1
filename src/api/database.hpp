#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/scope.hpp"
#include "base/task.hpp"
#include "store/session.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>

namespace sagabox::api {

/// How sessions that read for people are set up: plans by index, since every look is bounded by
/// one, and made anew each time, since the same statement is asked with and without each filter.
[[nodiscard]] pg::Options reading_session(pg::Options options);

/// The way from the server's threads, which wait, to PostgreSQL, which is asked by coroutines: one
/// thread with a few connections, opened when they are first needed.
///
/// Every question is answered in bounded time. Where the database is away, one of those who ask
/// finds out, and the others are told at once; so pages do not queue up behind an outage.
class Database {
public:
    /// Longest that a question takes, the wait for a connection included.
    static constexpr std::chrono::milliseconds patience{2'000};

    Database(pg::Options options, std::size_t connections);

    /// Ends what is under way; nobody may be asking any more.
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    template <class T>
    using Question = std::function<Task<Result<T>>(pg::Connection&, Deadline)>;

    /// Runs the question's task and waits for it on this thread. Thread-safe.
    ///
    /// The question's task may go on after the answer was given up: what it uses it holds by value.
    template <class T>
    [[nodiscard]] Result<T> ask(Question<T> question)
    {
        const auto slot = std::make_shared<std::optional<T>>();
        const Result<void> ran = run(
            [slot, question = std::move(question)](pg::Connection& connection, Deadline deadline) {
                return keep<T>(slot, question(connection, deadline));
            });
        if (!ran) {
            return fail(ran.error());
        }
        return std::move(**slot);
    }

private:
    using Work = std::function<Task<Result<void>>(pg::Connection&, Deadline)>;
    struct Job;

    template <class T>
    static Task<Result<void>> keep(std::shared_ptr<std::optional<T>> slot, Task<Result<T>> task)
    {
        Result<T> answer = co_await std::move(task);
        if (!answer) {
            co_return fail(std::move(answer.error()));
        }
        slot->emplace(std::move(*answer));
        co_return Result<void>{};
    }

    Result<void> run(Work work);
    Task<void> serve(std::shared_ptr<Job> job);
    Task<Result<std::unique_ptr<pg::Connection>>> borrow(Deadline deadline);
    Task<Result<std::unique_ptr<pg::Connection>>> connect(Deadline deadline);
    void give_back(std::unique_ptr<pg::Connection> connection);

    struct Idle {
        std::unique_ptr<pg::Connection> connection;
        Instant since;
    };

    pg::Options options_;
    std::size_t most_;
    asio::io_context context_{1};
    asio::executor_work_guard<asio::io_context::executor_type> keeps_running_;

    // Of the thread alone:
    Scope jobs_;
    Signal free_; ///< a connection may have come back
    std::vector<Idle> idle_;
    std::size_t lent_ = 0;
    std::optional<Fault> away_; ///< why the database could not be reached at the last try
    bool trying_ = false;
    Instant try_again_at_;

    std::thread thread_;
};

} // namespace sagabox::api
