#pragma once

// Builders for the tests of `decide`: a plan whose steps are called a, b and c, and what happened.

#include "core/decide.hpp"
#include "core/test_values.hpp"

#include <string>
#include <utility>
#include <vector>

namespace sagabox::core {

inline Route route_to(std::string_view url)
{
    Route route;
    route.url = must(UrlTemplate::parse(url));
    return route;
}

inline Revert revert_by(std::string_view url)
{
    Revert revert;
    revert.url = must(UrlTemplate::parse(url));
    return revert;
}

inline StepResult happened(std::string destination, Outcome outcome,
                           Direction direction = Direction::forward)
{
    StepResult row;
    row.event_id = EventId{17};
    row.cause = EventId{17};
    row.destination = std::move(destination);
    row.direction = direction;
    row.outcome = outcome;
    row.published_at = test_now;
    return row;
}

inline StepResult reverted(std::string destination, Outcome outcome)
{
    return happened(std::move(destination), outcome, Direction::revert);
}

inline StepResult answered(std::string destination, std::string_view answer)
{
    StepResult row = happened(std::move(destination), Outcome::succeeded);
    row.response = json_of(answer);
    return row;
}

/// `OrderCreated` goes to a, b and c; each is undone by a call that needs nothing but its key.
inline Plan plan_of_abc()
{
    Plan plan;
    for (const std::string name : {"a", "b", "c"}) {
        Route route = route_to("http://" + name + ".example/do");
        route.revert = revert_by("http://" + name + ".example/undo");
        plan.destinations.emplace(name, Destination{name, {std::move(route)}});
    }
    plan.fanouts.emplace("OrderCreated", std::vector<std::string>{"a", "b", "c"});
    return plan;
}

inline Route& only_route(Plan& plan, std::string_view destination)
{
    return plan.destinations.find(destination)->second.routes.at(0);
}

/// What an event and its results ask for.
struct Case {
    Plan plan = plan_of_abc();
    Saga saga{{test_event(), {}, {}}, Forward{}};

    Case& after(std::vector<StepResult> results)
    {
        saga.own.results = std::move(results);
        return *this;
    }
    Case& compensating()
    {
        saga.errand = Compensation{};
        return *this;
    }

    [[nodiscard]] Action next(std::chrono::milliseconds later = std::chrono::milliseconds{0}) const
    {
        return decide(plan, saga, test_now + later);
    }
};

/// The action as one of `T`, or a failed test and an exception that ends it.
template <class T>
T as(const Action& action)
{
    if (!std::holds_alternative<T>(action)) {
        ADD_FAILURE() << "decided to " << describe(action);
    }
    return std::get<T>(action);
}

/// `b.revert #2` for the second attempt to undo b.
inline std::string called(const Action& action)
{
    const StepResult row = as<MakeCall>(action).call.row;
    return row.destination + (row.direction == Direction::revert ? ".revert" : "") + " #" +
           std::to_string(row.attempt);
}

} // namespace sagabox::core
