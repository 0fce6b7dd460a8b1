#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace sagabox::http {

/// Threads that run jobs in the order in which they were given. Jobs must not throw.
class Pool {
public:
    explicit Pool(std::size_t threads);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    void submit(std::function<void()> job);

    /// Drops what no thread has begun and waits for the rest. Not from a job.
    void stop();

private:
    void work();

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> jobs_;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

/// One thread that calls functions when their time has come, however many are waiting.
class Timer {
public:
    Timer();
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    void at(std::chrono::steady_clock::time_point when, std::function<void()> job);

    /// Drops what is not yet due and waits for a job that is running. Not from a job.
    void stop();

private:
    void work();

    std::mutex mutex_;
    std::condition_variable wake_;
    std::multimap<std::chrono::steady_clock::time_point, std::function<void()>> jobs_;
    bool stopping_ = false;
    std::thread thread_;
};

} // namespace sagabox::http
