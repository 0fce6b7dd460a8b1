#include "engine/relay.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace sagabox::engine {

Relay::Relay(Options options, std::shared_ptr<const core::Plan> plan, Watcher& watcher)
    : options_(std::move(options)), housekeeper_(options_, watcher)
{
    if (options_.use_listen_notify) {
        const auto at = [this](int worker) -> Worker& {
            return *workers_[static_cast<std::size_t>(worker)];
        };
        listener_ = std::make_unique<Listener>(
            options_, options_.workers,
            Listener::Calls{[at](int worker) { at(worker).wake(); },
                            [at](int worker) { at(worker).wake_letters(); },
                            [at](int worker) { at(worker).armed(); },
                            [&watcher] { watcher.listen_began(); },
                            [&watcher] {
                                watcher.listen_lost();
                            }});
    }
    for (int number = 0; number < options_.workers; ++number) {
        workers_.push_back(std::make_unique<Worker>(number, options_, plan, watcher, crowd_,
                                                    [this](int worker, Appetite appetite) {
                                                        if (listener_) {
                                                            listener_->report(worker, appetite);
                                                        }
                                                    }));
    }
}

Relay::~Relay()
{
    stop();
}

void Relay::start()
{
    for (const auto& worker : workers_) {
        worker->start();
    }
    if (listener_) {
        listener_->start();
    }
    housekeeper_.start();
}

void Relay::reload(std::shared_ptr<const core::Plan> plan)
{
    for (const auto& worker : workers_) {
        worker->reload(plan);
    }
}

void Relay::stop()
{
    if (std::exchange(stopped_, true)) {
        return;
    }
    for (const auto& worker : workers_) {
        worker->drain();
    }
    if (listener_) {
        listener_->stop();
    }
    housekeeper_.stop();
    // The calls that are left after the grace are cut by a thread that waits beside us, so that
    // workers that are done earlier need no longer.
    std::mutex mutex;
    std::condition_variable all_joined;
    bool joined = false;
    std::thread cutter([&] {
        std::unique_lock lock(mutex);
        if (!all_joined.wait_for(lock, options_.shutdown_grace, [&joined] { return joined; })) {
            for (const auto& worker : workers_) {
                worker->abandon();
            }
        }
    });
    for (const auto& worker : workers_) {
        worker->join();
    }
    {
        const std::lock_guard lock(mutex);
        joined = true;
    }
    all_joined.notify_all();
    cutter.join();
}

bool Relay::database_up() const
{
    return std::all_of(workers_.begin(), workers_.end(),
                       [](const auto& worker) { return worker->database_up(); });
}

bool Relay::listening() const
{
    return listener_ && listener_->listening();
}

std::chrono::milliseconds Relay::standstill() const
{
    const Instant now = std::chrono::steady_clock::now();
    std::chrono::milliseconds longest{0};
    for (const auto& worker : workers_) {
        longest = std::max(longest, worker->standstill(now));
    }
    return longest;
}

} // namespace sagabox::engine
