#include "simulate/judge_story.hpp"

#include "core/call.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace sagabox::simulate {

namespace {

/// The row from which a step's undo is built; a null pointer where a lost worker left none.
const core::StepResult* row_of(const Story& story, std::string_view destination,
                               core::Outcome outcome)
{
    const auto& rows = story.history.results;
    const auto found = std::find_if(rows.rbegin(), rows.rend(), [&](const core::StepResult& row) {
        return row.destination == destination && row.outcome == outcome &&
               row.direction == core::Direction::forward;
    });
    return found == rows.rend() ? nullptr : &*found;
}

class Judge {
public:
    Judge(const core::Plan& plan, const Story& story, std::string given, std::size_t unusual,
          FindingList& found)
        : plan_(plan), story_(story), given_(std::move(given)), unusual_(unusual), found_(found)
    {
    }

    void judge()
    {
        if (!story_.broken.empty()) {
            add("promise-broken", Weight::finding, "", 0,
                "Sagabox itself broke its promise: " + story_.broken,
                "report this to Sagabox, with your configuration");
        }
        if (story_.own_fault) {
            add("call-not-buildable", Weight::finding, story_.failed_at, 0,
                story_.failed_at + " can't be called, though nothing went wrong outside",
                "give in payloads what its URL and headers need");
        }
        if (story_.ending == Ending::completed) {
            return;
        }
        for (std::size_t i = 0; i < story_.points.size(); ++i) {
            cancelled_ = cancelled_ || story_.troubles[i] == Trouble::cancelled;
            undo_troubled_ =
                undo_troubled_ ||
                (story_.points[i].direction == core::Direction::revert &&
                 story_.troubles[i] != Trouble::none && story_.troubles[i] != Trouble::crash);
        }
        for (const auto& [name, effect] : story_.standing) {
            if (!effect.harmless) {
                judge_effect(name, effect);
            }
        }
    }

private:
    void judge_effect(const std::string& name, const Effect& effect)
    {
        const core::StepResult* row =
            row_of(story_, name, effect.known ? core::Outcome::succeeded : core::Outcome::unknown);
        const int route = row == nullptr ? route_taken(name) : row->route;
        if (!effect.undoable) {
            no_undo(name, effect, route);
            return;
        }
        if (undo_troubled_ || story_.ending != Ending::needs_person) {
            return;
        }
        const core::Revert& revert =
            *plan_.destination(name)->routes.at(static_cast<std::size_t>(route)).revert;
        if (!effect.known && core::needs_response(revert)) {
            add("unknown-needs-person", Weight::note, name, route,
                name + " may take effect without an answer, and its undo needs that answer: a "
                       "person must look",
                "let the undo use {idempotencyKey} or request: values alone, where the service "
                "allows it");
            return;
        }
        if (row == nullptr) {
            return;
        }
        const Result<core::Request> undo =
            core::build_revert(story_.history.event, story_.history.event, *row, revert);
        if (!undo) {
            add("undo-not-buildable", Weight::finding, name, route,
                "the call that undoes " + name + " can't be built (" + undo.error().text() +
                    "), and neither it nor what came before it is undone",
                "let extract look where the request or the answer has the value");
        }
    }

    /// Where a lost worker has left no row, the step's last route is still the one that it took.
    [[nodiscard]] int route_taken(std::string_view name) const
    {
        const auto steps = plan_.steps_of(story_.history.event.type);
        for (std::size_t i = 0; steps && i < steps->size(); ++i) {
            if ((*steps)[i]->name == name) {
                return std::max(story_.routes[i], 0);
            }
        }
        return 0;
    }

    void no_undo(const std::string& name, const Effect& effect, int route)
    {
        if (cancelled_) {
            add("cancel-leaves", Weight::note, name, route,
                name + " has no undo: when the event is cancelled, what it did stays",
                "give its route a revert, or a place after the steps that are likely to fail");
        } else if (effect.known) {
            add("no-undo", Weight::finding, name, route,
                name + " has no undo, and " + story_.failed_at +
                    " after it may fail for good: what " + name + " did stays",
                "give its route a revert, or move it to the end; where it changes nothing, call it "
                "with GET or say --accept no-undo:DESTINATION");
        } else {
            add("unknown-not-undone", Weight::note, name, route,
                name + " may take effect without an answer, and has no undo: the event counts as "
                       "compensated all the same",
                "give its route a revert that needs no answer");
        }
    }

    void add(std::string_view rule, Weight weight, std::string step, int route, std::string what,
             std::string_view cure)
    {
        found_.add({rule, weight, std::move(step), std::move(what), given_, story_.lines, cure},
                   route, {story_.trouble_count(), unusual_, story_.lines.size()});
    }

    const core::Plan& plan_;
    const Story& story_;
    std::string given_;
    std::size_t unusual_;
    FindingList& found_;
    bool cancelled_ = false;
    bool undo_troubled_ = false;
};

} // namespace

void judge_story(const core::Plan& plan, const Story& story, const std::string& given,
                 std::size_t unusual, FindingList& found)
{
    Judge(plan, story, given, unusual, found).judge();
}

} // namespace sagabox::simulate
