#pragma once

#include "core/call.hpp"
#include "tests/sim/dice.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sagabox::sim {

/// How the caller stands with the database at the moment of its call.
enum class Holder : std::uint8_t {
    entitled, ///< its lease is its own
    stale,    ///< somebody has taken over, and it does not know yet
};

/// What the outside world knows about one step of one run of one event.
struct Ledger {
    EventId event;
    std::string destination;
    int run = 1;
    bool honours_keys = true;

    int forward_arrivals = 0; ///< by entitled callers
    int revert_arrivals = 0;  ///< by entitled callers
    int effects = 0;          ///< how often the step took effect, ever
    int standing = 0;         ///< effects that nobody has undone

    int route = 0;                                       ///< of the forward call
    std::vector<std::string> ids;                        ///< what the answers called the effects
    std::optional<core::Answer> answer;                  ///< to be repeated under the same key
    std::string forward_request;                         ///< as it first arrived
    std::map<std::int64_t, std::string> revert_requests; ///< the same, by cause

    /// A worker without a lease acted here. Nobody can prevent that (it may have been stopped
    /// between its last look and its call), so nothing is demanded of what stands here.
    bool touched_by_stale = false;
};

/// The services that are called: what they answer, and what has really happened there.
class World {
public:
    World(Dice& dice, const core::Plan& plan);

    /// A call arrives; an answer leaves, or gets lost.
    [[nodiscard]] core::Answer receive(const core::Call& call, Holder holder);

    [[nodiscard]] Ledger& ledger(EventId event, const std::string& destination, int run);
    [[nodiscard]] const std::vector<Ledger>& ledgers() const { return ledgers_; }

private:
    /// Out of a hundred calls, how many end which way; the rest go well.
    struct Mood {
        int rejected = 0;
        int failed = 0;
        int unanswered = 0;
    };
    struct Receiver {
        bool honours_keys = true;
        Mood forward;
        Mood revert;
    };

    [[nodiscard]] static Mood make_mood(Dice& dice);
    [[nodiscard]] core::Answer trouble(const core::Call& call, const Mood& mood,
                                       bool& takes_effect);
    [[nodiscard]] core::Answer good_news(Ledger& ledger);

    Dice& dice_;
    std::map<std::string, Receiver, std::less<>> receivers_;
    std::vector<Ledger> ledgers_;
    int last_id_ = 0;
};

} // namespace sagabox::sim
