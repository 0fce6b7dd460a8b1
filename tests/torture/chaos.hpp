#pragma once

#include "pg/embedded.hpp"
#include "tests/torture/dice.hpp"
#include "tests/torture/relays.hpp"
#include "tests/torture/services.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sagabox::torture {

/// Keeps the relays running, and does them harm by a schedule that follows from the seed.
///
/// Everything happens in `tend`, on the thread that made the cluster: nothing waits, save for
/// PostgreSQL's own restart.
class Chaos {
public:
    Chaos(pg::EmbeddedCluster& cluster, std::vector<std::unique_ptr<Relay>>& relays,
          Services& services, std::uint64_t seed);

    /// Restarts what has ended, and does what is due.
    void tend();

    /// From now on nothing new goes wrong, and what was broken is mended.
    void calm();

    /// SIGTERM to all, and waits until they have ended.
    void stop_relays();

    [[nodiscard]] const std::map<std::string, int>& counts() const { return counts_; }
    [[nodiscard]] const std::vector<std::string>& complaints() const { return complaints_; }

private:
    using Clock = std::chrono::steady_clock;

    /// What we did to the process in a slot, so that its end surprises nobody.
    struct Slot {
        int generation = 0;
        bool killed = false;
        bool told_to_stop = false;
        bool starting = false; ///< a start is due
    };

    void later(std::chrono::milliseconds delay, std::function<void()> what);
    void pause(int least_ms, int most_ms);
    void begin(std::size_t slot);
    void reap(std::size_t slot);
    void count(const std::string& fault);

    void harm();
    void kill_relay(std::size_t slot);
    void terminate_relay(std::size_t slot);
    void freeze(std::size_t slot);
    void half_open(std::size_t slot);
    void crash_postgres();
    void restart_postgres();
    void bring_back(Result<void> done);
    void terminate_sessions(const std::string& what, const std::string& whose);
    void storm();
    void reload(std::size_t slot);

    pg::EmbeddedCluster& cluster_;
    std::vector<std::unique_ptr<Relay>>& relays_;
    Services& services_;
    Dice dice_;
    std::vector<Slot> slots_;
    std::multimap<Clock::time_point, std::function<void()>> due_;
    std::map<std::string, int> counts_;
    std::vector<std::string> complaints_;
    bool calm_ = false;
    bool closing_ = false;
};

} // namespace sagabox::torture
