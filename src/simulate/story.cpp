#include "simulate/story.hpp"

#include "core/decide.hpp"
#include "simulate/answers.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace sagabox::simulate {

namespace {

using core::Answer;
using core::Direction;
using core::Outcome;

/// No plan's story is this long; one that is goes round in circles.
constexpr int most_decisions = 100'000;

/// What a trouble makes of one call.
struct Treatment {
    Outcome outcome = Outcome::succeeded;
    bool takes_effect = true;
    bool row_is_lost = false;
};

Treatment treat(Trouble trouble, int call_of_point)
{
    switch (trouble) {
    case Trouble::none:
    case Trouble::cancelled:
        return {};
    case Trouble::rejected:
        return {Outcome::rejected, false, false};
    case Trouble::exhausted:
        return {Outcome::failed, false, false};
    case Trouble::unknown:
        return {Outcome::unknown, true, false};
    case Trouble::unknown_then_refused:
        return call_of_point == 1 ? Treatment{Outcome::unknown, true, false}
                                  : Treatment{Outcome::rejected, false, false};
    case Trouble::crash:
        return {Outcome::succeeded, true, call_of_point == 1};
    case Trouble::crash_then_refused:
        return call_of_point == 1 ? Treatment{Outcome::succeeded, true, true}
                                  : Treatment{Outcome::rejected, false, false};
    case Trouble::poisoned:
        return {Outcome::succeeded, true, true};
    }
    return {};
}

const char* words_of(Trouble trouble)
{
    switch (trouble) {
    case Trouble::none:
    case Trouble::cancelled:
        return "done";
    case Trouble::rejected:
        return "refused for good";
    case Trouble::exhausted:
        return "fails at every attempt";
    case Trouble::unknown:
        return "takes effect, but no answer comes, at every attempt";
    case Trouble::unknown_then_refused:
        return "takes effect, but no answer comes; the next attempt is refused for good";
    case Trouble::crash:
        return "done; the worker is lost before it wrote that down, so the next one calls again: "
               "done";
    case Trouble::crash_then_refused:
        return "done; the worker is lost before it wrote that down, and the next one's call is "
               "refused for good";
    case Trouble::poisoned:
        return "done; the worker is lost before it wrote that down, and so is every later one";
    }
    return "";
}

class Player {
public:
    Player(const core::Plan& plan, const World& world, std::string_view type,
           const std::vector<Trouble>& script)
        : plan_(plan), world_(world), script_(script)
    {
        saga_.own.event = world.event(type);
        saga_.errand = core::Forward{};
        now_ = saga_.own.event.created_at;
        const auto steps = plan.steps_of(type);
        story_.routes.assign(steps ? steps->size() : 0, -2);
    }

    Story run()
    {
        for (int i = 0; i < most_decisions; ++i) {
            if (!step()) {
                story_.history = target();
                finish();
                return std::move(story_);
            }
        }
        story_.broken = "the story never ends";
        return std::move(story_);
    }

private:
    core::History& target()
    {
        auto* cancel = std::get_if<core::Cancellation>(&saga_.errand);
        return cancel == nullptr ? saga_.own : cancel->targets.front();
    }

    void line(std::string text) { story_.lines.push_back(std::move(text)); }

    Trouble decide_point(Point point)
    {
        const std::size_t at = story_.points.size();
        Trouble trouble = at < script_.size() ? script_[at] : Trouble::none;
        if (std::find(point.choices.begin(), point.choices.end(), trouble) == point.choices.end()) {
            trouble = Trouble::none;
        }
        story_.points.push_back(std::move(point));
        story_.troubles.push_back(trouble);
        return trouble;
    }

    /// False: the story has ended.
    bool step()
    {
        core::Action action = core::decide(plan_, saga_, now_);
        if (auto* call = std::get_if<core::MakeCall>(&action)) {
            return call_http(call->call);
        }
        if (auto* send = std::get_if<core::SendMail>(&action)) {
            return send_mail(*send);
        }
        if (auto* skip = std::get_if<core::SkipStep>(&action)) {
            story_.routes.at(static_cast<std::size_t>(skip->row.fanout_order)) = -1;
            line(skip->row.destination + ": passed over, no route's condition holds");
            join(std::move(skip->row));
            return true;
        }
        if (const auto* wait = std::get_if<core::Wait>(&action)) {
            now_ = wait->until;
            return true;
        }
        if (auto* give_up = std::get_if<core::GiveUp>(&action)) {
            return fail(std::move(*give_up));
        }
        if (std::holds_alternative<core::StopForCancel>(action)) {
            begin_cancel(core::EventStatus::CANCELLED);
            return true;
        }
        if (auto* person = std::get_if<core::NeedsPerson>(&action)) {
            story_.ending = Ending::needs_person;
            story_.why = std::move(person->why);
            line("a person is needed: " + story_.why);
            return false;
        }
        return end();
    }

    /// All is done: forward, or with the undoing.
    bool end()
    {
        if (!std::holds_alternative<core::Forward>(saga_.errand)) {
            const bool cancel = std::holds_alternative<core::Cancellation>(saga_.errand);
            story_.ending = cancel ? Ending::cancelled : Ending::compensated;
            return false;
        }
        if (decide_point({"", Direction::forward, {Trouble::none, Trouble::cancelled}}) ==
            Trouble::cancelled) {
            line("completed; then it is cancelled");
            begin_cancel(core::EventStatus::PROCESSED);
            return true;
        }
        story_.ending = Ending::completed;
        return false;
    }

    bool fail(core::GiveUp give_up)
    {
        story_.why = std::move(give_up.why);
        const bool nothing_wrong =
            point_.empty() || trouble_ == Trouble::none || trouble_ == Trouble::crash;
        story_.own_fault =
            nothing_wrong && give_up.reason == core::LetterReason::NON_RETRYABLE_ERROR;
        story_.failed_at = story_.own_fault ? next_step() : point_;
        line("given up: " + story_.why);
        core::Compensation letter;
        letter.reason = give_up.reason;
        saga_.errand = letter;
        point_.clear();
        return true;
    }

    [[nodiscard]] std::string next_step() const
    {
        const auto begun = std::find(story_.routes.begin(), story_.routes.end(), -2);
        const auto steps = plan_.steps_of(saga_.own.event.type);
        return begun == story_.routes.end() || !steps
                   ? std::string{}
                   : (*steps)[static_cast<std::size_t>(begun - story_.routes.begin())]->name;
    }

    void begin_cancel(core::EventStatus status)
    {
        core::Saga cancel;
        cancel.own.event = saga_.own.event;
        cancel.own.event.id = EventId{2};
        cancel.own.event.type = "!" + saga_.own.event.type;
        cancel.own.event.uuid = "00000000-0000-4000-8000-000000000002";
        cancel.own.event.deaths = 0;
        core::History own = std::move(saga_.own);
        own.event.status = status;
        core::Cancellation errand;
        errand.targets.push_back(std::move(own));
        cancel.errand = std::move(errand);
        saga_ = std::move(cancel);
        point_.clear();
    }

    /// The trouble of the point that a call belongs to. A new point begins with each step and with
    /// each undo. Nothing where a cancel came in between.
    std::optional<Trouble> trouble_of(const core::StepResult& row, std::vector<Trouble> choices)
    {
        const std::string name =
            row.destination + (row.direction == Direction::revert ? ".revert" : "");
        if (point_ == name) {
            ++calls_of_point_;
            return trouble_;
        }
        const Trouble trouble = decide_point({row.destination, row.direction, std::move(choices)});
        if (trouble == Trouble::cancelled) {
            line("a cancel comes before " + row.destination + " is called");
            std::get<core::Forward>(saga_.errand).cancel_waiting = true;
            return std::nullopt;
        }
        point_ = name;
        trouble_ = trouble;
        calls_of_point_ = 1;
        return trouble;
    }

    bool call_http(const core::Call& call)
    {
        const bool forward = call.row.direction == Direction::forward;
        std::vector<Trouble> choices{Trouble::none};
        const bool refusable = answer_read_as(Outcome::rejected, call).has_value();
        if (refusable) {
            choices.push_back(Trouble::rejected);
        }
        choices.push_back(Trouble::exhausted);
        choices.push_back(Trouble::crash);
        if (forward) {
            choices.insert(choices.end(), {Trouble::unknown, Trouble::poisoned});
            if (refusable) {
                choices.insert(choices.end(),
                               {Trouble::unknown_then_refused, Trouble::crash_then_refused});
            }
            choices.push_back(Trouble::cancelled);
        }
        const std::optional<Trouble> trouble = trouble_of(call.row, std::move(choices));
        if (!trouble) {
            return true;
        }
        if (calls_of_point_ == 1) {
            line((forward ? call.row.destination : "undo of " + call.row.destination) + ": " +
                 call.row.http_method + " " + call.row.endpoint_url + ": " + words_of(*trouble));
        }
        const Treatment treatment = treat(*trouble, calls_of_point_);
        std::optional<Answer> answer = answer_read_as(treatment.outcome, call);
        if (!answer) {
            answer = answer_read_as(Outcome::unknown, call);
        }
        if (forward && treatment.outcome == Outcome::succeeded) {
            answer->body = json::write(world_.answer(call.row.destination, call.row.route));
        }
        core::StepResult row = core::record(call, *answer, now_, plan_.max_retry_after);
        take_effect(row, treatment, harmless(call));
        write_down(std::move(row), treatment);
        return true;
    }

    static bool harmless(const core::Call& call)
    {
        return call.request.method == "GET" || call.request.method == "HEAD";
    }

    bool send_mail(const core::SendMail& send)
    {
        const std::optional<Trouble> trouble = trouble_of(
            send.row, {Trouble::none, Trouble::rejected, Trouble::exhausted, Trouble::crash,
                       Trouble::unknown, Trouble::poisoned, Trouble::unknown_then_refused,
                       Trouble::crash_then_refused, Trouble::cancelled});
        if (!trouble) {
            return true;
        }
        if (calls_of_point_ == 1) {
            line(send.row.destination + ": a letter by " + send.mailing.provider + ": " +
                 words_of(*trouble));
        }
        const Treatment treatment = treat(*trouble, calls_of_point_);
        core::StepResult row = mail_row(plan_, send, treatment.outcome, now_);
        take_effect(row, treatment, false);
        write_down(std::move(row), treatment);
        return true;
    }

    void take_effect(const core::StepResult& row, const Treatment& treatment, bool harmless)
    {
        if (row.direction == Direction::revert) {
            if (treatment.takes_effect) {
                undo(row.destination);
            }
            return;
        }
        story_.routes.at(static_cast<std::size_t>(row.fanout_order)) = row.route;
        if (!treatment.takes_effect) {
            return;
        }
        Effect& effect = story_.standing[row.destination];
        if (effect.known) {
            story_.broken = row.destination + " was called again after it had succeeded";
        }
        const core::Destination* destination = plan_.destination(row.destination);
        effect.order = ++effects_;
        effect.known = treatment.outcome == Outcome::succeeded && !treatment.row_is_lost;
        effect.harmless = harmless;
        effect.undoable =
            destination != nullptr &&
            destination->routes.at(static_cast<std::size_t>(row.route)).revert.has_value();
    }

    void undo(const std::string& destination)
    {
        const auto found = story_.standing.find(destination);
        if (found == story_.standing.end()) {
            return; // undone by a worker that was lost, and now once more under the same key
        }
        for (const auto& [name, other] : story_.standing) {
            if (other.known && other.undoable && other.order > found->second.order) {
                story_.broken = destination + " was undone before " + name;
            }
        }
        story_.standing.erase(found);
    }

    void write_down(core::StepResult row, const Treatment& treatment)
    {
        if (treatment.row_is_lost) {
            ++deaths();
            return;
        }
        join(std::move(row));
    }

    int& deaths()
    {
        auto* letter = std::get_if<core::Compensation>(&saga_.errand);
        return letter == nullptr ? saga_.own.event.deaths : letter->deaths;
    }

    void join(core::StepResult row)
    {
        deaths() = 0;
        row.published_at = now_;
        target().results.push_back(std::move(row));
    }

    void finish()
    {
        static constexpr const char* words[] = {"completed", "failed, and compensated", "cancelled",
                                                "failed, and waits for a person"};
        std::string left;
        for (const auto& [name, effect] : story_.standing) {
            if (story_.ending != Ending::completed && !effect.harmless) {
                left += (left.empty() ? "" : ", ") + name;
            }
            const bool told_undone =
                story_.ending == Ending::compensated || story_.ending == Ending::cancelled;
            if (told_undone && effect.known && effect.undoable) {
                story_.broken = name + " has an undo, and was not undone";
            }
        }
        line(std::string("end: ") + words[static_cast<std::size_t>(story_.ending)] +
             (left.empty() ? "" : "; still in effect: " + left));
    }

    const core::Plan& plan_;
    const World& world_;
    const std::vector<Trouble>& script_;
    core::Saga saga_;
    DbTime now_;
    Story story_;
    std::string point_; ///< the step or undo at hand; empty: none has begun
    Trouble trouble_ = Trouble::none;
    int calls_of_point_ = 0;
    int effects_ = 0;
};

} // namespace

int Story::trouble_count() const
{
    return static_cast<int>(std::count_if(troubles.begin(), troubles.end(),
                                          [](Trouble t) { return t != Trouble::none; }));
}

Story play(const core::Plan& plan, const World& world, std::string_view event_type,
           const std::vector<Trouble>& script)
{
    return Player(plan, world, event_type, script).run();
}

} // namespace sagabox::simulate
