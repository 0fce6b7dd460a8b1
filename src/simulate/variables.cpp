#include "simulate/variables.hpp"

#include "simulate/document.hpp"
#include "json/decimal.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sagabox::simulate {

namespace {

bool is_order(core::Operator op)
{
    return op == core::Operator::gt || op == core::Operator::gte || op == core::Operator::lt ||
           op == core::Operator::lte;
}

std::size_t fraction_digits(std::string_view number)
{
    const std::size_t point = number.find('.');
    return point == std::string_view::npos ? 0 : number.size() - point - 1;
}

/// The number with more digits after it: further from zero by less than any number of at most
/// `digits` digits after the point can tell.
std::string beyond(const std::string& number, std::size_t digits)
{
    std::string longer = number;
    if (longer.find('.') == std::string::npos) {
        longer += '.';
    }
    longer.append(digits - fraction_digits(number), '0');
    return longer + "5";
}

class Values {
public:
    void add(json::Value value)
    {
        const bool known = std::any_of(found_.begin(), found_.end(),
                                       [&](const Candidate& c) { return c.value == value; });
        if (!known) {
            found_.push_back({Candidate::Kind::value, std::move(value)});
        }
    }
    void add_number(std::string_view digits)
    {
        if (auto number = json::canonical_number(digits)) {
            add(json::Number{std::move(*number)});
        }
    }
    [[nodiscard]] std::vector<Candidate> take() && { return std::move(found_); }

private:
    std::vector<Candidate> found_;
};

/// Each threshold, and a number between it and each neighbour.
void add_numbers(Values& values, const std::vector<std::string>& thresholds)
{
    std::size_t digits = 0;
    for (const std::string& threshold : thresholds) {
        digits = std::max(digits, fraction_digits(threshold));
    }
    for (const std::string& threshold : thresholds) {
        values.add_number(threshold);
        values.add_number(beyond(threshold, digits));
    }
    for (const char* around : {"0", "1", "-1"}) {
        values.add_number(around);
    }
    values.add_number(beyond("0", digits));
    values.add_number(beyond("-0", digits));
    // Beyond the last on either side lies a number that differs from it in its first digit.
    for (const std::string& threshold : thresholds) {
        const bool negative = threshold.front() == '-';
        values.add_number(negative ? "-1" + threshold.substr(1) : "1" + threshold);
    }
}

} // namespace

std::string Variable::document() const
{
    return destination + (source == core::Source::request ? "'s request" : "'s answer");
}

std::string Variable::words(const Candidate& candidate) const
{
    switch (candidate.kind) {
    case Candidate::Kind::sample:
        return {};
    case Candidate::Kind::missing:
        return "without " + path->text();
    case Candidate::Kind::value:
        break;
    }
    return "with " + path->text() + " = " + json::write(candidate.value);
}

std::vector<Candidate> interesting_values(const std::vector<const core::Condition*>& conditions)
{
    Values values;
    std::vector<std::string> thresholds;
    std::string all_parts;
    for (const core::Condition* condition : conditions) {
        const std::optional<std::string> number = json::canonical_number(condition->value);
        if (number) {
            thresholds.push_back(*number);
        }
        if (condition->op == core::Operator::contains) {
            all_parts += condition->value;
            values.add(condition->value);
            values.add(json::Array{json::Value(condition->value)});
        } else if (!number && !is_order(condition->op) && condition->op != core::Operator::exists) {
            if (condition->value == "true" || condition->value == "false") {
                values.add(condition->value == "true");
            }
            values.add(condition->value);
        }
    }
    if (!thresholds.empty()) {
        add_numbers(values, thresholds);
    }
    for (const core::Condition* condition : conditions) {
        if (condition->op != core::Operator::exists) {
            values.add(condition->value);
        }
    }
    if (!all_parts.empty()) {
        values.add(all_parts);
    }
    values.add("another value");
    values.add(json::Object{});
    std::vector<Candidate> found = std::move(values).take();
    found.push_back({Candidate::Kind::missing, {}});
    return found;
}

std::optional<std::size_t> variable_of(const std::vector<Variable>& variables,
                                       std::string_view destination,
                                       const core::Condition& condition)
{
    const bool by_body = condition.previous_destination.empty();
    const std::string_view owner = by_body ? destination : condition.previous_destination;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const bool same_source = (variables[i].source == core::Source::request) == by_body;
        if (same_source && variables[i].destination == owner &&
            variables[i].path->text() == condition.path.text()) {
            return i;
        }
    }
    return std::nullopt;
}

std::vector<Variable> variables_of(const std::vector<const core::Destination*>& steps,
                                   const Samples& samples)
{
    std::vector<Variable> variables;
    std::vector<std::vector<const core::Condition*>> conditions;
    for (const core::Destination* step : steps) {
        for (const core::Route& route : step->routes) {
            if (!route.condition) {
                continue;
            }
            std::optional<std::size_t> at = variable_of(variables, step->name, *route.condition);
            if (!at) {
                const bool by_body = route.condition->previous_destination.empty();
                Variable variable;
                variable.destination = by_body ? step->name : route.condition->previous_destination;
                variable.source = by_body ? core::Source::request : core::Source::response;
                variable.path = &route.condition->path;
                variables.push_back(std::move(variable));
                conditions.emplace_back();
                at = variables.size() - 1;
            }
            conditions[*at].push_back(&*route.condition);
        }
    }
    for (std::size_t i = 0; i < variables.size(); ++i) {
        Variable& variable = variables[i];
        const bool given = variable.source == core::Source::request
                               ? samples.payload(variable.destination) != nullptr
                               : samples.answer(variable.destination, 0) != nullptr;
        if (given) {
            variable.candidates.push_back({Candidate::Kind::sample, {}});
        }
        json::Value probe = json::Object{};
        variable.free = place(probe, *variable.path, json::Value("x"));
        if (variable.free) {
            const std::vector<Candidate> more = interesting_values(conditions[i]);
            variable.candidates.insert(variable.candidates.end(), more.begin(), more.end());
        } else if (!given) {
            variable.candidates.push_back({Candidate::Kind::missing, {}});
        }
    }
    return variables;
}

} // namespace sagabox::simulate
