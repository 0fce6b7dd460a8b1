#include "shop/conditions.hpp"

#include "shop/draw.hpp"
#include "shop/services.hpp"

#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

namespace shop {
namespace {

constexpr std::size_t most_draws = 500'000;

constexpr std::string_view failure_rates = "failure-rates";
constexpr std::string_view latencies = "latencies";
constexpr std::string_view rate_limits = "rate-limits";

struct Setting {
    std::string_view name;
    double most;
    bool whole;
    std::string_view rule;
};

constexpr std::array<Setting, 3> settings{{
    {failure_rates, 1, false, "A rate is a number from 0 to 1"},
    {latencies, 60'000, true, "A latency is a whole number of milliseconds, at most 60000"},
    {rate_limits, 100'000, true,
     "A limit is a whole number of calls a second, at most 100000, or 0 for none"},
}};

const Setting* find_setting(std::string_view name)
{
    for (const Setting& setting : settings) {
        if (setting.name == name) {
            return &setting;
        }
    }
    return nullptr;
}

bool allows(const Setting& setting, const nlohmann::json& value)
{
    if (!value.is_number()) {
        return false;
    }
    const double number = value.get<double>();
    return number >= 0 && number <= setting.most &&
           (!setting.whole || std::trunc(number) == number);
}

std::string number_text(const Setting& setting, double value)
{
    return setting.whole ? std::to_string(static_cast<std::int64_t>(value))
                         : nlohmann::json(value).dump();
}

} // namespace

Conditions::Conditions(std::uint64_t seed) : seed_(seed)
{
    Values perfect;
    for (const Service& service : services()) {
        perfect.emplace(service.action, 0);
        if (!service.undo_action.empty()) {
            perfect.emplace(service.undo_action, 0);
        }
    }
    for (const Setting& setting : settings) {
        settings_.emplace(setting.name, perfect);
    }
}

bool Conditions::knows(std::string_view setting)
{
    return find_setting(setting) != nullptr;
}

Json Conditions::read(std::string_view setting) const
{
    std::vector<std::pair<std::string, Json>> members;
    for (const auto& [action, value] : settings_.find(setting)->second) {
        members.emplace_back(action, Json::number(number_text(*find_setting(setting), value)));
    }
    return Json::object(members);
}

Response Conditions::put(std::string_view setting, std::string_view body)
{
    const auto parsed = nlohmann::json::parse(body, nullptr, false);
    if (!parsed.is_object()) {
        return problem(400, "Send {action: number, ...} as JSON.");
    }
    const Setting& meant = *find_setting(setting);
    for (const auto& [action, value] : parsed.items()) {
        if (!is_action(action)) {
            return problem(422, "There is no such action; GET /api/simulators/" +
                                    std::string(setting) + " lists them: " + action.substr(0, 60) +
                                    ".");
        }
        if (!allows(meant, value)) {
            return problem(422, std::string(meant.rule) + ": " + action + ".");
        }
    }
    Values& values = settings_.find(setting)->second;
    for (const auto& [action, value] : parsed.items()) {
        values.find(action)->second = value.get<double>();
    }
    return json(200, read(setting));
}

void Conditions::set_failure_rates(const std::map<std::string, double>& rates)
{
    Values& values = settings_.find(failure_rates)->second;
    for (const auto& [action, rate] : rates) {
        if (const auto found = values.find(action); found != values.end()) {
            found->second = rate;
        }
    }
}

bool Conditions::fails(std::string_view action, const std::string& subject)
{
    const double rate = settings_.find(failure_rates)->second.find(action)->second;
    if (rate <= 0) {
        return false;
    }
    const std::string drawn = std::string(action) + "|" + subject;
    if (draws_.size() > most_draws) {
        draws_.clear();
    }
    const std::uint64_t count = draws_[drawn]++;
    return spread(stable_hash(drawn, stable_hash(std::to_string(count), seed_))) < rate;
}

std::chrono::milliseconds Conditions::latency(std::string_view action) const
{
    return std::chrono::milliseconds{
        static_cast<std::int64_t>(settings_.find(latencies)->second.find(action)->second)};
}

std::optional<std::chrono::seconds> Conditions::turn_away(std::string_view action,
                                                          RateLimit::Moment now)
{
    const int most = static_cast<int>(settings_.find(rate_limits)->second.find(action)->second);
    if (most == 0) {
        return std::nullopt;
    }
    return limits_[std::string(action)].turn_away(most, now);
}

} // namespace shop
