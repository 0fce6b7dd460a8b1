#include "http/pool.hpp"

#include <algorithm>
#include <utility>

namespace sagabox::http {

Pool::Pool(std::size_t threads)
{
    for (std::size_t i = 0; i < std::max<std::size_t>(threads, 1); ++i) {
        threads_.emplace_back([this] { work(); });
    }
}

Pool::~Pool()
{
    stop();
}

void Pool::submit(std::function<void()> job)
{
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) {
            return;
        }
        jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
}

void Pool::stop()
{
    std::deque<std::function<void()>> dropped;
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        dropped.swap(jobs_);
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) {
        if (thread.joinable()) {
            thread.join();
        }
    }
}

void Pool::work()
{
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
        if (stopping_) {
            return;
        }
        {
            const std::function<void()> job = std::move(jobs_.front());
            jobs_.pop_front();
            lock.unlock();
            job();
        }
        lock.lock();
    }
}

Timer::Timer() : thread_([this] { work(); }) {}

Timer::~Timer()
{
    stop();
}

void Timer::at(std::chrono::steady_clock::time_point when, std::function<void()> job)
{
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) {
            return;
        }
        jobs_.emplace(when, std::move(job));
    }
    wake_.notify_one();
}

void Timer::stop()
{
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Timer::work()
{
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        if (jobs_.empty()) {
            wake_.wait(lock);
        } else if (const auto due = jobs_.begin()->first; std::chrono::steady_clock::now() < due) {
            wake_.wait_until(lock, due);
        } else {
            const std::function<void()> job = std::move(jobs_.begin()->second);
            jobs_.erase(jobs_.begin());
            lock.unlock();
            job();
            lock.lock();
        }
    }
}

} // namespace sagabox::http
