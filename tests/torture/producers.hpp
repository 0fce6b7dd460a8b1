#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace sagabox::torture {

/// Threads that do business: each transaction writes rows of the application and their events, and
/// is committed, rolled back or lost with the database.
class Producers {
public:
    Producers(std::string database_url, std::uint64_t seed, int threads);
    ~Producers();
    Producers(const Producers&) = delete;
    Producers& operator=(const Producers&) = delete;

    /// Lets each finish its transaction.
    void stop();

    /// What they know of their transactions, by the keys of the events in them.
    struct Book {
        std::map<std::string, std::chrono::steady_clock::time_point> committed; ///< and since when
        std::set<std::string> rolled_back;
        std::set<std::string> unsure; ///< the connection was lost while the commit was under way
    };
    [[nodiscard]] Book book() const;

private:
    struct Till;
    void work(int number);

    const std::string url_;
    const std::uint64_t seed_;
    std::atomic<bool> stopping_ = false;
    mutable std::mutex mutex_;
    Book book_;
    std::vector<std::thread> threads_;
};

} // namespace sagabox::torture
