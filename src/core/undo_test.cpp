#include "core/decide.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sagabox::core {

namespace {

StepResult row(std::string destination, Direction direction, Outcome outcome)
{
    StepResult row;
    row.event_id = {1};
    row.cause = {1};
    row.destination = std::move(destination);
    row.direction = direction;
    row.outcome = outcome;
    return row;
}

Route route(const std::string& revert_url)
{
    Route route;
    route.url = UrlTemplate::parse("http://a.example/do").value();
    route.revert.emplace();
    route.revert->url = UrlTemplate::parse(revert_url).value();
    return route;
}

/// `first` is undone by its key, `second` only by what its answer named, and a worker was lost on
/// it.
struct LostOnTheSecondStep {
    LostOnTheSecondStep()
    {
        plan.fanouts.emplace("A", std::vector<std::string>{"first", "second"});
        plan.destinations.emplace(
            "first", Destination{"first", {route("http://a.example/undo/{idempotencyKey}")}});
        Route second = route("http://a.example/undo/{id}");
        second.revert->extract.push_back(Extraction::parse("id", "response:$.id").value());
        plan.destinations.emplace("second", Destination{"second", {std::move(second)}});

        saga.own.event.id = {1};
        saga.own.event.type = "A";
        saga.own.event.uuid = "uuid";
        saga.own.event.payloads = json::Value(json::Object{});
        saga.own.event.deaths = 4;
        saga.errand = Compensation{};
    }

    Plan plan;
    Saga saga;
};

TEST(Undo, remembers_the_step_that_lost_its_worker_after_the_steps_before_it_are_undone)
{
    LostOnTheSecondStep given;
    given.saga.own.results = {row("first", Direction::forward, Outcome::succeeded),
                              row("first", Direction::revert, Outcome::succeeded)};

    const Action action = decide(given.plan, given.saga, {});

    const auto* person = std::get_if<NeedsPerson>(&action);
    ASSERT_NE(person, nullptr) << describe(action);
    EXPECT_NE(person->why.find("second of event 1"), std::string::npos) << person->why;
}

TEST(Undo, remembers_the_step_that_lost_its_worker_after_a_person_forgave_a_step_passed_over)
{
    LostOnTheSecondStep given;
    given.saga.own.results = {row("first", Direction::forward, Outcome::skipped)};
    given.saga.own.results.front().forgiven = true;

    const Action action = decide(given.plan, given.saga, {});

    const auto* person = std::get_if<NeedsPerson>(&action);
    ASSERT_NE(person, nullptr) << describe(action);
    EXPECT_NE(person->why.find("second of event 1"), std::string::npos) << person->why;
}

TEST(Undo, takes_the_route_that_the_lost_worker_took_though_the_answer_it_hung_on_is_undone)
{
    LostOnTheSecondStep given;
    given.plan.destinations.find("second")->second.routes[0].condition =
        Condition{json::Path::compile("$.score").value(), Operator::eq, "1", "first"};
    StepResult first = row("first", Direction::forward, Outcome::succeeded);
    json::Object answer;
    answer.set("score", json::Value::integer(1));
    first.response = json::Value(std::move(answer));
    given.saga.own.results = {first, row("first", Direction::revert, Outcome::succeeded)};

    const Action action = decide(given.plan, given.saga, {});

    EXPECT_TRUE(std::holds_alternative<NeedsPerson>(action)) << describe(action);
}

TEST(Undo, names_a_step_in_doubt_though_the_undoing_stops_at_another_step)
{
    LostOnTheSecondStep given;
    given.saga.own.results = {row("first", Direction::forward, Outcome::succeeded),
                              row("first", Direction::revert, Outcome::rejected)};

    const Action action = decide(given.plan, given.saga, {});

    const auto* person = std::get_if<NeedsPerson>(&action);
    ASSERT_NE(person, nullptr) << describe(action);
    EXPECT_NE(person->why.find("first.revert"), std::string::npos) << person->why;
    EXPECT_NE(person->why.find("second of event 1"), std::string::npos) << person->why;
}

} // namespace

} // namespace sagabox::core
