#pragma once

#include "testing/stub_server.hpp"
#include "tests/torture/dice.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sagabox::torture {

/// What one key did outside, as the services themselves know it.
struct Effect {
    std::string key; ///< the `Idempotency-Key` of the forward call
    std::string destination;
    std::string aggregate;
    std::string event_type;
    std::string event_id;
    std::string path;
    std::string answer_id;
    std::uint64_t applied = 0; ///< its place among everything that took effect; 0: never did
    std::uint64_t undone = 0;  ///< the same of its undoing
    std::string undone_for;    ///< the event on whose behalf
};

/// How often a key came in, and for which event.
struct Seen {
    std::string aggregate;
    std::string event_id;
    int arrivals = 0;
    std::chrono::steady_clock::time_point first_at;
};

/// The outside world: services that honour the `Idempotency-Key`, and misbehave as the seed says.
///
/// A call takes effect at most once per key. Misbehaving, a service may act and not answer, or
/// neither; a definite no is only given where nothing was done. Who undoes by key what was never
/// done leaves a mark there, so that a call that comes late for it is refused: without that no saga
/// is safe against its own stragglers.
class Services {
public:
    explicit Services(std::uint64_t seed);

    [[nodiscard]] const testing::StubServer& server() const { return server_; }

    /// In a hundred answers so many go wrong from now on.
    void set_trouble(int in_a_hundred) { trouble_ = in_a_hundred; }

    /// A fault of this name happens now.
    void mark(const std::string& fault);

    struct Account {
        std::vector<Effect> effects;          ///< those that took place, in that order
        std::map<std::string, Seen> arrivals; ///< by key, forward and revert
        std::vector<std::string> complaints;  ///< of calls that no relay may make
        /// By fault: the longest time without any effect in the seconds after it.
        std::map<std::string, std::vector<std::chrono::milliseconds>> stalls;
    };
    [[nodiscard]] Account account() const;

    [[nodiscard]] std::size_t arrivals() const { return arrived_; }

private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] testing::Reply forward(const std::string& destination,
                                         const testing::Arrival& call);
    [[nodiscard]] testing::Reply undo(const std::string& destination, const testing::Arrival& call);
    Seen& note(const testing::Arrival& call);
    /// Something in place of the answer; `may_act` tells whether the service does its work first.
    [[nodiscard]] std::optional<testing::Reply> misbehave(Dice& dice, bool stuck, bool& may_act);
    [[nodiscard]] std::chrono::milliseconds stall_after(Clock::time_point fault) const;

    const std::uint64_t seed_;
    std::atomic<int> trouble_ = 15;
    std::atomic<std::size_t> arrived_ = 0;

    mutable std::mutex mutex_;
    std::map<std::string, Effect> effects_; ///< by key; also marks of undoing what never was
    std::map<std::string, std::string> key_of_answer_;
    std::map<std::string, Seen> seen_;
    std::map<std::string, int> nth_; ///< calls by aggregate and step
    std::vector<std::string> complaints_;
    std::uint64_t happenings_ = 0;
    std::vector<std::pair<std::string, Clock::time_point>> faults_;
    std::vector<Clock::time_point> effect_times_;

    testing::StubServer server_; ///< last: its thread uses the rest
};

} // namespace sagabox::torture
