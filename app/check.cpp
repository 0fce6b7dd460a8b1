#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/wiring.hpp"
#include "json/value.hpp"

#include <iostream>

namespace sagabox::app {

namespace {

json::Value form_of(const config::Loaded& loaded)
{
    json::Array problems;
    for (const config::Problem& problem : loaded.problems) {
        json::Object form;
        form.set("place", problem.place);
        form.set("text", problem.text);
        problems.emplace_back(std::move(form));
    }
    json::Object form;
    form.set("good", loaded.settings.has_value());
    form.set("problems", std::move(problems));
    return form;
}

} // namespace

int check(const std::string& file, bool as_json)
{
    const config::Loaded loaded = config::load_file(file);
    if (as_json) {
        std::cout << json::write(form_of(loaded)) << '\n';
    } else if (loaded.settings) {
        std::cout << file << ": good; " << loaded.settings->plan->destinations.size()
                  << " destinations, " << loaded.settings->plan->fanouts.size()
                  << " event types with a fan-out\n";
    } else {
        print_problems(loaded.problems);
    }
    return loaded.settings ? done : misuse;
}

} // namespace sagabox::app
