#include "tests/sim/plans.hpp"

#include "tests/sim/dice.hpp"

#include <stdexcept>
#include <utility>

namespace sagabox::sim {

namespace {

using namespace std::chrono_literals;

template <class T>
T must(Result<T> result)
{
    if (!result) {
        throw std::logic_error("the simulation built a bad plan: " + result.error().text());
    }
    return std::move(*result);
}

core::Revert make_revert(Dice& dice, const std::string& base)
{
    core::Revert revert;
    const int style = dice.between(0, 9);
    if (style < 5) {
        revert.url = must(core::UrlTemplate::parse(base + "/undo/id/{id}"));
        revert.extract.push_back(
            must(core::Extraction::parse("id", dice.chance(500) ? "response:$.id" : "$.id")));
    } else if (style < 7) {
        revert.url = must(core::UrlTemplate::parse(base + "/undo/ref/{ref}"));
        revert.extract.push_back(must(core::Extraction::parse("ref", "request:$.ref")));
    } else {
        revert.url = must(core::UrlTemplate::parse(base + "/undo/key/{idempotencyKey}"));
    }
    if (dice.chance(200)) {
        revert.method = "POST";
        revert.payload =
            must(core::BodyTemplate::parse(R"({"amount": {amount}, "note": "of {amount}"})"));
        revert.extract.push_back(must(core::Extraction::parse("amount", "request:$.amount")));
    }
    if (dice.chance(100)) {
        revert.classify.success = {{409, 409}};
    }
    return revert;
}

core::Route make_route(Dice& dice, const std::string& destination, std::size_t number)
{
    const std::string base = "http://" + destination + ".example/r" + std::to_string(number);
    core::Route route;
    route.url = must(core::UrlTemplate::parse(base + (dice.chance(80) ? "/do/{ref}" : "/do")));
    if (!dice.chance(250)) {
        route.revert = make_revert(dice, base);
    }
    if (dice.chance(100)) {
        route.classify.retry = {{404, 404}};
    }
    if (dice.chance(100)) {
        route.classify.success = {{409, 409}};
    }
    if (dice.chance(60)) {
        route.classify.reject = {{500, 599}};
    }
    if (dice.chance(150)) {
        route.retry_after.fallback = 3s;
    }
    return route;
}

core::Condition make_condition(std::string_view path, core::Operator op, std::string value,
                               std::string previous)
{
    return {must(json::Path::compile(path)), op, std::move(value), std::move(previous)};
}

core::Destination make_destination(Dice& dice, const std::string& name, const std::string& previous)
{
    core::Destination destination;
    destination.name = name;
    const int shape = dice.between(0, 9);
    destination.routes.push_back(make_route(dice, name, 0));
    if (shape < 6) {
        return destination;
    }
    destination.routes.push_back(make_route(dice, name, 1));
    if (shape < 8 || previous.empty()) {
        destination.routes[0].condition = make_condition("$.kind", core::Operator::eq, "a", "");
        destination.routes[1].condition = make_condition("$.kind", core::Operator::eq, "b", "");
    } else {
        destination.routes[0].condition =
            make_condition("$.score", core::Operator::lt, "50", previous);
        destination.routes[1].condition =
            make_condition("$.score", core::Operator::gte, "50", previous);
    }
    if (dice.chance(200)) {
        destination.routes[1].condition.reset();
    }
    return destination;
}

core::Plan make_plan(std::size_t number)
{
    Dice dice(0x706c616e00000000ULL + number);
    core::Plan plan;
    std::vector<std::string> names;
    const int count = dice.between(1, 6);
    for (int i = 0; i < count; ++i) {
        const std::string name = "d" + std::to_string(i);
        plan.destinations.emplace(
            name, make_destination(dice, name, names.empty() ? "" : dice.pick(names)));
        names.push_back(name);
    }
    plan.fanouts.emplace("A", names);
    std::vector<std::string> some;
    for (const std::string& name : names) {
        if (dice.chance(600)) {
            some.push_back(name);
        }
    }
    if (!some.empty()) {
        plan.fanouts.emplace("B", some);
    }
    plan.max_retries = dice.between(0, 3);
    plan.revert_max_retries = dice.between(0, 3);
    plan.backoff.kind =
        dice.chance(500) ? core::BackoffKind::exponential : core::BackoffKind::linear;
    plan.backoff.base = std::chrono::milliseconds(dice.between(1, 40) * 100);
    plan.backoff.max = plan.backoff.base * dice.between(1, 6);
    plan.backoff.jitter = dice.chance(500) ? 0.2 : 0.0;
    plan.max_retry_after = 60s;
    return plan;
}

} // namespace

const core::Plan& PlanPool::plan(std::size_t number)
{
    auto& slot = plans_[number % size];
    if (!slot) {
        slot = std::make_unique<const core::Plan>(make_plan(number % size));
    }
    return *slot;
}

} // namespace sagabox::sim
