#include "simulate/ways.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace sagabox::simulate {

namespace {

/// All combinations up to here; beyond it, all of each destination by itself.
constexpr std::size_t most_combinations = 20'000;

/// Every combination of the candidates of `free`, the others at their first.
void add_product(const std::vector<Variable>& variables, const std::vector<std::size_t>& free,
                 std::set<Case>& cases)
{
    Case chosen(variables.size(), 0);
    for (std::size_t made = 0; made < most_combinations; ++made) {
        cases.insert(chosen);
        std::size_t at = 0;
        while (at < free.size() && ++chosen[free[at]] == variables[free[at]].candidates.size()) {
            chosen[free[at]] = 0;
            ++at;
        }
        if (at == free.size()) {
            return;
        }
    }
}

std::set<Case> all_cases(const Steps& steps, const std::vector<Variable>& variables)
{
    std::size_t combinations = 1;
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        all.push_back(i);
        combinations =
            std::min(combinations * variables[i].candidates.size(), most_combinations + 1);
    }
    std::set<Case> cases;
    if (combinations <= most_combinations) {
        add_product(variables, all, cases);
        return cases;
    }
    for (const core::Destination* step : steps) {
        std::set<std::size_t> looked_at;
        for (const core::Route& route : step->routes) {
            if (route.condition) {
                if (const auto at = variable_of(variables, step->name, *route.condition)) {
                    looked_at.insert(*at);
                }
            }
        }
        add_product(variables, {looked_at.begin(), looked_at.end()}, cases);
    }
    return cases;
}

std::ptrdiff_t called(const Way& way)
{
    return std::count_if(way.routes.begin(), way.routes.end(), [](int r) { return r >= 0; });
}

} // namespace

std::size_t unusual(const Case& chosen)
{
    return chosen.size() -
           static_cast<std::size_t>(std::count(chosen.begin(), chosen.end(), std::size_t{0}));
}

std::string given_words(const std::vector<Variable>& variables, const Case& chosen)
{
    std::string all;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const std::string words = variables[i].words(variables[i].candidates[chosen[i]]);
        if (!words.empty()) {
            all += (all.empty() ? "" : "; ") + variables[i].document() + " " + words;
        }
    }
    return all;
}

Ways find_ways(const core::Plan& plan, std::string_view event_type, const Steps& steps,
               const Samples& samples, const std::vector<Variable>& variables)
{
    Ways ways;
    for (const Case& chosen : all_cases(steps, variables)) {
        const Story story = play(plan, World(steps, samples, variables, chosen), event_type, {});
        ways.cases.push_back({chosen, story.routes, story.lines});
    }
    std::stable_sort(ways.cases.begin(), ways.cases.end(), [](const Way& a, const Way& b) {
        return unusual(a.chosen) < unusual(b.chosen);
    });
    std::set<std::vector<int>> seen;
    for (const Way& way : ways.cases) {
        if (seen.insert(way.routes).second) {
            ways.different.push_back(way);
        }
    }
    std::stable_sort(ways.different.begin(), ways.different.end(),
                     [](const Way& a, const Way& b) { return called(a) > called(b); });
    return ways;
}

} // namespace sagabox::simulate
