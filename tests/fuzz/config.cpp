#include "config/settings.hpp"

#include "tests/fuzz/target.hpp"

#include <algorithm>

namespace sagabox::fuzz {

namespace {

bool same(const std::vector<config::Problem>& one, const std::vector<config::Problem>& other)
{
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [](const config::Problem& a, const config::Problem& b) {
                          return a.place == b.place && a.text == b.text;
                      });
}

void check_plan(const core::Plan& plan)
{
    for (const auto& [type, steps] : plan.fanouts) {
        const auto found = plan.steps_of(type);
        require(found && found->size() == steps.size(), "each step of a fan-out is known");
    }
    for (const auto& [name, destination] : plan.destinations) {
        require(destination.name == name, "a destination knows its name");
        require(!destination.routes.empty(), "a destination has a route");
        for (const core::Route& route : destination.routes) {
            require(route.timeout.count() > 0, "a call has a bound");
        }
    }
    require(plan.max_retries >= 0 && plan.revert_max_retries >= 0, "retries are a count");
    require(plan.backoff.base.count() > 0 && plan.backoff.base <= plan.backoff.max,
            "a pause is positive, and below its maximum");
    require(plan.backoff.jitter >= 0 && plan.backoff.jitter <= 1, "jitter is a share");
}

} // namespace

void config(std::string_view input)
{
    // The folder is not there, so no include can be found, whatever stands on this machine.
    const std::string name = "/nonexistent/fuzz.conf";
    const config::Loaded loaded = config::load_text(std::string(input), name);
    require(loaded.settings.has_value() == loaded.problems.empty(),
            "there are settings, or there are problems");
    for (const config::Problem& problem : loaded.problems) {
        require(!problem.text.empty(), "a problem says what is wrong");
        require(problem.place.starts_with(name) || problem.place.empty(),
                "a problem says where it is");
    }
    if (loaded.settings) {
        const config::Settings& settings = *loaded.settings;
        require(settings.plan != nullptr, "settings have a plan");
        require(settings.mail.has_value() == (settings.plan->mail != nullptr),
                "mail is configured as a whole or not at all");
        require(settings.relay.batch_size > 0 && settings.relay.pool_size > 0 &&
                    settings.relay.max_in_flight > 0 && settings.relay.lease_duration.count() > 0 &&
                    settings.relay.poll_interval.count() > 0,
                "what must be positive is so");
        check_plan(*settings.plan);
    }
    require(same(config::load_text(std::string(input), name).problems, loaded.problems),
            "the same file has the same problems");
}

} // namespace sagabox::fuzz
