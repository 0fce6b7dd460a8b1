#include "app/simulate.hpp"

#include "app/exit_code.hpp"
#include "app/wiring.hpp"
#include "config/nearest.hpp"
#include "core/saga.hpp"
#include "simulate/explore.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace sagabox::app {

namespace {

/// Says what can't be simulated, and what was perhaps meant.
bool has_steps(const core::Plan& plan, const std::string& event_type)
{
    if (core::is_cancellation(event_type)) {
        std::cerr << event_type << " is a cancel: simulate " << core::cancelled_type(event_type)
                  << ", which is cancelled at every moment of its life\n";
        return false;
    }
    if (plan.steps_of(event_type)) {
        return true;
    }
    std::vector<std::string_view> known;
    for (const auto& [type, steps] : plan.fanouts) {
        known.push_back(type);
    }
    std::cerr << "nothing is configured for the event type " << event_type
              << ": add outbox.http.fanout." << event_type;
    if (const auto meant = config::nearest(event_type, known)) {
        std::cerr << "; or did you mean " << *meant << '?';
    }
    std::cerr << '\n';
    return false;
}

std::optional<simulate::Samples> load_samples(const SimulateOptions& options,
                                              const core::Plan& plan)
{
    if (options.answers.empty()) {
        return simulate::Samples{};
    }
    std::ifstream file(options.answers, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file) {
        std::cerr << options.answers << ": can't be read\n";
        return std::nullopt;
    }
    Result<simulate::Samples> samples = simulate::read_samples(text, plan, options.event_type);
    if (!samples) {
        std::cerr << options.answers << ": " << samples.error().text() << '\n';
        return std::nullopt;
    }
    return std::move(*samples);
}

bool rules_are_known(const std::vector<std::string>& accepted)
{
    for (const std::string& wanted : accepted) {
        const std::string rule = wanted.substr(0, wanted.find(':'));
        if (std::ranges::find(simulate::rules, rule) == std::end(simulate::rules)) {
            std::cerr << "--accept " << wanted << ": there is no rule " << rule << '\n';
            return false;
        }
    }
    return true;
}

} // namespace

int simulate(const SimulateOptions& options)
{
    const std::optional<config::Settings> settings = load_or_explain(options.file);
    if (!settings || !has_steps(*settings->plan, options.event_type) ||
        !rules_are_known(options.accepted)) {
        return misuse;
    }
    const std::optional<simulate::Samples> samples = load_samples(options, *settings->plan);
    if (!samples) {
        return misuse;
    }
    simulate::Options how;
    how.seed = options.seed;
    how.accepted = options.accepted;
    const simulate::Report report =
        simulate::explore(*settings->plan, options.event_type, *samples, how);
    if (options.json) {
        std::cout << json::write(simulate::in_json(report)) << '\n';
    } else {
        std::cout << simulate::in_words(report);
    }
    return report.count(simulate::Weight::finding) == 0 ? done : failed;
}

SimulateCommand::SimulateCommand(CLI::App& program)
    : command_(program.add_subcommand(
          "simulate", "Play an event type's fan-out against invented answers, failures and "
                      "crashes, and say what was not thought of; exit 1 if there is anything"))
{
    command_->add_option("-c,--config", options_.file, "Configuration file (HOCON)")->required();
    command_->add_option("--event", options_.event_type, "The event type")->required();
    command_->add_option("--answers", options_.answers,
                         "JSON file of sample payloads and answers, by destination");
    command_->add_option("--accept", options_.accepted,
                         "A rule, or RULE:DESTINATION, whose findings are known and wanted");
    command_->add_option("--seed", options_.seed, "Of the random stories")->capture_default_str();
    command_->add_flag("--json", options_.json, "Print JSON");
}

std::optional<int> SimulateCommand::run() const
{
    return command_->parsed() ? std::optional(simulate(options_)) : std::nullopt;
}

} // namespace sagabox::app
