#include "engine/crowd.hpp"

#include <algorithm>
#include <utility>

namespace sagabox::engine {

namespace {

/// Who waits in line holds a lease, and takes one of the worker's places for sagas.
constexpr std::size_t line_per_place = 2;
constexpr std::size_t shortest_line = 16;

constexpr std::chrono::microseconds longest_way_back = std::chrono::minutes(10);
constexpr int weight_of_the_past = 7; ///< of 8

/// How long calls will take that have not come back yet is a guess. A destination that recovers
/// should not wait long for those who were sent away; one that hangs should not be asked about
/// thousands of times a second.
constexpr std::chrono::microseconds widest_guess = std::chrono::milliseconds(20);

} // namespace

Crowd::Place::Place(Crowd& crowd, std::string destination)
    : crowd_(&crowd), destination_(std::move(destination)), since_(std::chrono::steady_clock::now())
{
}

Crowd::Place::Place(Place&& other) noexcept
    : crowd_(std::exchange(other.crowd_, nullptr)), destination_(std::move(other.destination_)),
      since_(other.since_)
{
}

Crowd::Place& Crowd::Place::operator=(Place&& other) noexcept
{
    std::swap(crowd_, other.crowd_);
    std::swap(destination_, other.destination_);
    std::swap(since_, other.since_);
    return *this;
}

Crowd::Place::~Place()
{
    if (crowd_ != nullptr) {
        crowd_->leave(destination_, since_);
    }
}

std::optional<Crowd::Place> Crowd::enter(const std::string& destination, int capacity)
{
    const std::lock_guard lock(mutex_);
    Door& door = doors_[destination];
    door.capacity = capacity;
    if (door.inside >= capacity || !door.line.empty()) {
        return std::nullopt;
    }
    ++door.inside;
    door.moved = std::chrono::steady_clock::now();
    return std::make_optional<Place>(*this, destination);
}

bool Crowd::wait(const std::string& destination, int capacity,
                 const std::shared_ptr<Waiter>& waiter)
{
    std::shared_ptr<Waiter> next;
    {
        const std::lock_guard lock(mutex_);
        Door& door = doors_[destination];
        door.capacity = capacity;
        const std::size_t most =
            std::max(line_per_place * static_cast<std::size_t>(capacity), shortest_line);
        if (door.line.size() >= most) {
            return false;
        }
        door.line.push_back(waiter);
        // Whoever left between `enter` and now found nobody in line.
        if (door.inside < door.capacity) {
            ++door.inside;
            door.moved = std::chrono::steady_clock::now();
            next = door.line.front();
            door.line.pop_front();
            next->given = true;
        }
    }
    if (next) {
        next->wake();
    }
    return true;
}

std::optional<Crowd::Place> Crowd::stop_waiting(const std::string& destination,
                                                const std::shared_ptr<Waiter>& waiter)
{
    const std::lock_guard lock(mutex_);
    if (std::exchange(waiter->given, false)) {
        return std::make_optional<Place>(*this, destination);
    }
    std::erase(doors_[destination].line, waiter);
    return std::nullopt;
}

std::chrono::microseconds Crowd::come_back_in(const std::string& destination, int capacity,
                                              std::chrono::microseconds least)
{
    const std::lock_guard lock(mutex_);
    Door& door = doors_[destination];
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::microseconds apart =
        std::max(door.usual / capacity, std::min(door.stood_still(now) / capacity, widest_guess));
    door.back_until = std::max(door.back_until, now + least) + apart;
    const auto in = std::chrono::duration_cast<std::chrono::microseconds>(door.back_until - now);
    return std::min(in, longest_way_back);
}

bool Crowd::stands_still(const std::string& destination, std::chrono::microseconds since)
{
    const std::lock_guard lock(mutex_);
    return doors_[destination].stood_still(std::chrono::steady_clock::now()) >= since;
}

/// Zero where nobody is inside.
std::chrono::microseconds Crowd::Door::stood_still(std::chrono::steady_clock::time_point now) const
{
    return inside == 0 ? std::chrono::microseconds(0)
                       : std::chrono::duration_cast<std::chrono::microseconds>(now - moved);
}

void Crowd::leave(const std::string& destination, std::chrono::steady_clock::time_point since)
{
    std::shared_ptr<Waiter> next;
    {
        const std::lock_guard lock(mutex_);
        Door& door = doors_[destination];
        door.moved = std::chrono::steady_clock::now();
        const auto took = std::chrono::duration_cast<std::chrono::microseconds>(door.moved - since);
        door.usual = (door.usual * weight_of_the_past + took) / (weight_of_the_past + 1);
        // Fewer may be allowed by now than are inside.
        if (!door.line.empty() && door.inside <= door.capacity) {
            next = door.line.front();
            door.line.pop_front();
            next->given = true;
        } else {
            --door.inside;
        }
    }
    if (next) {
        next->wake();
    }
}

} // namespace sagabox::engine
