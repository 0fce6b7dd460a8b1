#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/wiring.hpp"

#include <iostream>

namespace sagabox::app {

int check(const std::string& file)
{
    const std::optional<config::Settings> settings = load_or_explain(file);
    if (!settings) {
        return misuse;
    }
    std::cout << file << ": good; " << settings->plan->destinations.size() << " destinations, "
              << settings->plan->fanouts.size() << " event types with a fan-out\n";
    return done;
}

} // namespace sagabox::app
