#include "simulate/judge_routes.hpp"

#include "json/decimal.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace sagabox::simulate {

namespace {

class RouteJudge {
public:
    RouteJudge(const Steps& steps, const std::vector<Variable>& variables, const Ways& ways,
               FindingList& found)
        : steps_(steps), variables_(variables), found_(found)
    {
        for (const Way& way : ways.cases) {
            ways_.emplace(way.chosen, &way);
        }
        all_ = &ways.cases;
    }

    void judge()
    {
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            step_ = i;
            looked_at_ = variables_looked_at(*steps_[i]);
            if (all_can_be_tried()) {
                never_taken();
            }
            for (const Way& way : *all_) {
                if (way.routes[i] == -1) {
                    passed_over(way);
                }
            }
        }
    }

private:
    [[nodiscard]] const core::Destination& destination() const { return *steps_[step_]; }

    [[nodiscard]] std::set<std::size_t> variables_looked_at(const core::Destination& step) const
    {
        std::set<std::size_t> looked_at;
        for (const core::Route& route : step.routes) {
            if (route.condition) {
                if (const auto at = variable_of(variables_, step.name, *route.condition)) {
                    looked_at.insert(*at);
                }
            }
        }
        return looked_at;
    }

    /// Whether every value that could matter was tried; says so where it was not.
    bool all_can_be_tried()
    {
        bool all = true;
        for (const std::size_t at : looked_at_) {
            if (!variables_[at].free) {
                all = false;
                Finding note;
                note.rule = "not-tried";
                note.weight = Weight::note;
                note.step = destination().name;
                note.what = "no document can be made up for " + variables_[at].path->text() +
                            ": only the sample of " + variables_[at].document() +
                            " was tried, where there is one";
                note.cure = "give a sample by --answers";
                found_.add(std::move(note), 0, {0, 0, 0});
            }
        }
        return all;
    }

    void never_taken()
    {
        for (std::size_t route = 0; route < destination().routes.size(); ++route) {
            const bool taken = std::any_of(all_->begin(), all_->end(), [&](const Way& way) {
                return way.routes[step_] == static_cast<int>(route);
            });
            const bool begun = std::any_of(all_->begin(), all_->end(),
                                           [&](const Way& way) { return way.routes[step_] != -2; });
            if (taken || !begun) {
                continue;
            }
            Finding finding;
            finding.rule = "route-never-taken";
            finding.step = destination().name;
            finding.what =
                "no value reaches route " + std::to_string(route + 1) + " of " +
                destination().name + " (" +
                core::UrlTemplate::without_secrets(destination().routes[route].url.text()) +
                "): either its condition never holds, or a route before it is always "
                "taken first";
            finding.cure = "put the narrower condition first, or correct the condition";
            found_.add(std::move(finding), static_cast<int>(route), {0, 0, 0});
        }
    }

    /// The route that the step takes where one variable alone has another value; nothing where that
    /// was not tried.
    [[nodiscard]] std::optional<int> route_with(const Case& chosen, std::size_t variable,
                                                std::size_t candidate) const
    {
        Case other = chosen;
        other[variable] = candidate;
        const auto found = ways_.find(other);
        return found == ways_.end() ? std::nullopt : std::optional(found->second->routes[step_]);
    }

    void passed_over(const Way& way)
    {
        for (const core::Route& route : destination().routes) {
            if (route.condition && !route.condition->previous_destination.empty() &&
                called_before(way, route.condition->previous_destination) == false) {
                add("answer-missing", Weight::finding, way,
                    route.condition->previous_destination + " may be passed over, and then " +
                        destination().name +
                        ", which looks at its answer, is passed over as well: the event counts as "
                        "completed",
                    "add a last route without a condition");
                return;
            }
        }
        for (const std::size_t at : looked_at_) {
            blame(way, at);
        }
    }

    /// Whether the step was called in this way; nothing where it is no step of the fan-out.
    [[nodiscard]] std::optional<bool> called_before(const Way& way, std::string_view name) const
    {
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            if (steps_[i]->name == name) {
                return way.routes[i] >= 0;
            }
        }
        return std::nullopt;
    }

    /// Says that the variable's value is why the step is passed over, where another value alone
    /// would have it called.
    void blame(const Way& way, std::size_t at)
    {
        const Variable& variable = variables_[at];
        bool another_is_called = false;
        for (std::size_t i = 0; i < variable.candidates.size(); ++i) {
            another_is_called =
                another_is_called || route_with(way.chosen, at, i).value_or(-1) >= 0;
        }
        if (!another_is_called) {
            return;
        }
        const Candidate& candidate = variable.candidates[way.chosen[at]];
        const std::string words = variable.words(candidate);
        const std::string so = words.empty() ? "with the sample" : words;
        if (variable.source == core::Source::response &&
            candidate.kind == Candidate::Kind::missing) {
            add("answer-missing", Weight::finding, way,
                variable.document() + " may come " + so + ", and then " + destination().name +
                    " is passed over: the event counts as completed",
                "add a last route without a condition");
        } else if (lies_in_a_gap(way, at)) {
            add("value-gap", Weight::finding, way,
                "there is a gap between the conditions of " + destination().name + ": " + so +
                    " in " + variable.document() + " no route is taken, and it is passed over",
                "let the conditions meet: one of them with lte or gte");
        } else if (destination().routes.size() > 1) {
            add("passed-over", Weight::note, way,
                destination().name + " is passed over where " + variable.document() +
                    " comes, for example, " + so,
                "where every event is to be sent to it, add a last route without a condition");
        }
    }

    /// Whether smaller and greater numbers are sent somewhere, and this one is not.
    [[nodiscard]] bool lies_in_a_gap(const Way& way, std::size_t at) const
    {
        const std::vector<Candidate>& candidates = variables_[at].candidates;
        const json::Number* own = candidates[way.chosen[at]].value.as_number();
        if (own == nullptr) {
            return false;
        }
        bool smaller = false;
        bool greater = false;
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            const json::Number* other = candidates[i].value.as_number();
            if (other != nullptr && route_with(way.chosen, at, i).value_or(-1) >= 0) {
                const auto order = json::compare_numbers(other->digits, own->digits);
                smaller = smaller || order < 0;
                greater = greater || order > 0;
            }
        }
        return smaller && greater && ordered(at) > 1;
    }

    /// How many of the step's conditions ask for less or more than something.
    [[nodiscard]] std::ptrdiff_t ordered(std::size_t at) const
    {
        const auto& routes = destination().routes;
        return std::count_if(routes.begin(), routes.end(), [&](const core::Route& route) {
            if (!route.condition ||
                variable_of(variables_, destination().name, *route.condition) != at) {
                return false;
            }
            const core::Operator op = route.condition->op;
            return op == core::Operator::lt || op == core::Operator::lte ||
                   op == core::Operator::gt || op == core::Operator::gte;
        });
    }

    void add(std::string_view rule, Weight weight, const Way& way, std::string what,
             std::string_view cure)
    {
        found_.add({rule, weight, destination().name, std::move(what),
                    given_words(variables_, way.chosen), way.lines, cure},
                   0, {0, unusual(way.chosen), way.lines.size()});
    }

    const Steps& steps_;
    const std::vector<Variable>& variables_;
    FindingList& found_;
    std::map<Case, const Way*> ways_;
    const std::vector<Way>* all_ = nullptr;
    std::size_t step_ = 0;
    std::set<std::size_t> looked_at_;
};

} // namespace

void judge_routes(const Steps& steps, const std::vector<Variable>& variables, const Ways& ways,
                  FindingList& found)
{
    RouteJudge(steps, variables, ways, found).judge();
}

} // namespace sagabox::simulate
