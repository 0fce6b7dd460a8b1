#pragma once

#include "core/plan.hpp"
#include "core/saga.hpp"
#include "simulate/world.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sagabox::simulate {

/// What goes wrong at one point of a story.
enum class Trouble : std::uint8_t {
    none,
    rejected,             ///< the peer says no for good
    exhausted,            ///< it fails at each attempt, without an effect
    unknown,              ///< it takes effect at each attempt, and no answer comes
    unknown_then_refused, ///< the same at the first attempt; the second is refused for good
    crash,                ///< the call is made, and the worker is lost before its row is written
    crash_then_refused,   ///< the same; the next worker's call is refused for good
    poisoned,             ///< every worker is lost in this way
    cancelled,            ///< a `!X` is there before the step begins, or after the last one
};

/// A moment at which a story may go one way or another: a step begins, an undo begins, or all is
/// done.
struct Point {
    std::string destination; ///< empty: the end of the forward run
    core::Direction direction = core::Direction::forward;
    std::vector<Trouble> choices; ///< never empty; the first is `none`
};

enum class Ending : std::uint8_t {
    completed,
    compensated,  ///< it failed, and says that all is undone
    cancelled,    ///< it was cancelled, and says that all is undone
    needs_person, ///< undoing can't go on
};

/// What a call did outside.
struct Effect {
    int order = 0;         ///< when it took effect
    bool known = false;    ///< its success was written down
    bool undoable = true;  ///< its route has an undo, or it changes nothing (GET, HEAD)
    bool harmless = false; ///< GET or HEAD: there is nothing to undo
};

/// A story that has been played to its end.
struct Story {
    std::vector<Point> points;      ///< in the order in which they came
    std::vector<Trouble> troubles;  ///< what happened at each of them
    std::vector<std::string> lines; ///< the same for people
    std::vector<int> routes;        ///< by step: the route taken, -1: passed over, -2: never begun
    Ending ending = Ending::completed;
    std::string why;        ///< what the plan says of the failure, or of what a person must do
    std::string failed_at;  ///< the destination at which the forward run failed for good
    bool own_fault = false; ///< it failed although nothing went wrong outside
    std::map<std::string, Effect, std::less<>> standing; ///< effects that are left
    core::History history;                               ///< what is written down
    std::string broken; ///< a promise of ours that was not kept; empty: none

    [[nodiscard]] int trouble_count() const;
};

/// Plays an event through `decide`: `script[i]` is what happens at the i-th point, and nothing goes
/// wrong after the script's end. Like a relay, it writes each row before it goes on; unlike one, it
/// knows what really took effect.
[[nodiscard]] Story play(const core::Plan& plan, const World& world, std::string_view event_type,
                         const std::vector<Trouble>& script);

} // namespace sagabox::simulate
