#include "app/once/performance.hpp"

#include "app/once/narration.hpp"

#include <fmt/format.h>

namespace sagabox::app::once {

namespace {

/// Plays one scenario; what is wrong with its end.
Findings perform_one(const Scenario& scenario, Stage& stage, std::ostream& out)
{
    Findings findings;
    const Result<void> played = scenario.play(stage);
    if (!played) {
        findings.add(played.error().text());
    }
    const std::vector<Order> orders = stage.take_placed();
    if (orders.empty() && played) {
        findings.add("no order was placed");
    }
    for (const Order& order : orders) {
        const Result<Evidence> evidence = stage.evidence(order);
        if (!evidence) {
            findings.add(evidence.error().text());
            continue;
        }
        out << narrate(order, *evidence);
        const Findings judged = scenario.judge(order, *evidence);
        for (const std::string& line : judged.lines()) {
            findings.add(line);
        }
    }
    return findings;
}

} // namespace

std::vector<Scenario> scenarios()
{
    return {high_risk_order(), low_risk_order(),   refused_payment(),
            busy_service(),    answer_too_late(),  cancel_after_success(),
            second_cancel(),   cancel_under_way(), two_updates()};
}

bool perform(const std::vector<Scenario>& scenarios, Stage& stage, std::ostream& out)
{
    std::size_t number = 0;
    std::size_t good = 0;
    for (const Scenario& scenario : scenarios) {
        if (stage.user_wants_to_stop()) {
            out << "\nstopped by the user\n";
            break;
        }
        out << fmt::format("\n{}. {}\n   {}\n", ++number, scenario.name, scenario.watch)
            << std::flush;
        const Findings findings = perform_one(scenario, stage, out);
        if (findings.empty()) {
            ++good;
            out << "   as it must be\n";
        } else {
            out << "   NOT as it must be:\n";
            for (const std::string& line : findings.lines()) {
                out << "   ! " << line << '\n';
            }
        }
        out << std::flush;
    }
    out << fmt::format("\n{} of {} scenarios ended as they must\n", good, scenarios.size())
        << std::flush;
    return good == scenarios.size();
}

} // namespace sagabox::app::once
