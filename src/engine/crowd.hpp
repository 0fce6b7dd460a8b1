#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace sagabox::engine {

/// How many calls of this relay are under way to each destination that may bear only so many.
///
/// One for all workers; thread-safe. Places are handed over in the order in which they were asked
/// for, whichever worker asks.
class Crowd {
public:
    /// A place among the calls under way, given back on destruction. Must not outlive the crowd.
    class Place {
    public:
        Place(Crowd& crowd, std::string destination);
        ~Place();
        Place(Place&& other) noexcept;
        Place& operator=(Place&& other) noexcept;
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;

    private:
        Crowd* crowd_;
        std::string destination_;
        std::chrono::steady_clock::time_point since_;
    };

    /// Somebody in line for a place. `wake` is called once the place is theirs, by any thread.
    struct Waiter {
        std::function<void()> wake;
        bool given = false;
    };

    /// A place, if there is one and nobody waits for it.
    [[nodiscard]] std::optional<Place> enter(const std::string& destination, int capacity);

    /// Joins the line; false where it is so long that to wait makes no sense.
    [[nodiscard]] bool wait(const std::string& destination, int capacity,
                            const std::shared_ptr<Waiter>& waiter);

    /// Leaves the line; the place, if it was given meanwhile. Nothing where it has left before.
    [[nodiscard]] std::optional<Place> stop_waiting(const std::string& destination,
                                                    const std::shared_ptr<Waiter>& waiter);

    /// When somebody who found no place should come back: those who come back are spread as widely
    /// as calls have taken long lately, or take now, where nobody comes out. At least `least`.
    [[nodiscard]] std::chrono::microseconds
    come_back_in(const std::string& destination, int capacity, std::chrono::microseconds least);

    /// Whether somebody is inside, and nobody has come out or gone in for that long.
    [[nodiscard]] bool stands_still(const std::string& destination,
                                    std::chrono::microseconds since);

private:
    struct Door {
        int inside = 0;
        int capacity = 1;
        std::deque<std::shared_ptr<Waiter>> line;
        std::chrono::microseconds usual{1'000};        ///< how long a call takes, lately
        std::chrono::steady_clock::time_point moved{}; ///< when somebody last went in or out
        std::chrono::steady_clock::time_point back_until{};

        [[nodiscard]] std::chrono::microseconds
        stood_still(std::chrono::steady_clock::time_point now) const;
    };
    void leave(const std::string& destination, std::chrono::steady_clock::time_point since);

    std::mutex mutex_;
    std::map<std::string, Door> doors_;
};

} // namespace sagabox::engine
