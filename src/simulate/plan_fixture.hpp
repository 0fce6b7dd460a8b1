#pragma once

// Plans for the tests of this part: what `OrderCreated` goes to, step by step.

#include "core/decide_fixture.hpp"
#include "simulate/explore.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace sagabox::simulate {

inline core::Condition condition(std::string_view path, core::Operator op, std::string value,
                                 std::string previous = "")
{
    return {core::path_of(path), op, std::move(value), std::move(previous)};
}

inline core::Route when(core::Route route, core::Condition condition)
{
    route.condition = std::move(condition);
    return route;
}

/// A revert whose URL holds `{id}`, read by the expression: `response:$.id`.
inline core::Revert revert_by_id(std::string_view expression)
{
    core::Revert revert = core::revert_by("http://undo.example/{id}");
    revert.extract.push_back(core::must(core::Extraction::parse("id", expression)));
    return revert;
}

/// a, b and c with undos that need nothing but their keys; each test spoils what it is about.
struct Simulation {
    core::Plan plan = core::plan_of_abc();
    Samples samples;
    Options options;

    core::Route& route(std::string_view step) { return core::only_route(plan, step); }
    std::vector<core::Route>& routes(std::string_view step)
    {
        return plan.destinations.find(step)->second.routes;
    }

    Report run()
    {
        options.random_stories = 50;
        return explore(plan, "OrderCreated", samples, options);
    }
};

inline const Finding* find(const Report& report, std::string_view rule, std::string_view step)
{
    const auto found =
        std::find_if(report.findings.begin(), report.findings.end(),
                     [&](const Finding& f) { return f.rule == rule && f.step == step; });
    return found == report.findings.end() ? nullptr : &*found;
}

/// `finding no-undo a`, … in the order of the report.
inline std::vector<std::string> list(const Report& report, Weight weight = Weight::finding)
{
    std::vector<std::string> names;
    for (const Finding& finding : report.findings) {
        if (finding.weight == weight) {
            names.push_back(std::string(finding.rule) + " " + finding.step);
        }
    }
    return names;
}

} // namespace sagabox::simulate
