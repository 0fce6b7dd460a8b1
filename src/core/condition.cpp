#include "core/call.hpp"

#include "json/decimal.hpp"

#include <algorithm>

namespace sagabox::core {
namespace {

std::string text_of(const json::Value& value)
{
    const std::string* text = value.as_string();
    return text != nullptr ? *text : json::write(value);
}

bool equal(const json::Value& node, const std::string& value)
{
    if (const json::Number* number = node.as_number()) {
        if (const auto wanted = json::canonical_number(value)) {
            return json::compare_numbers(number->digits, *wanted) == 0;
        }
    }
    return text_of(node) == value;
}

/// Less, equal or greater, where both sides read as numbers.
std::optional<std::strong_ordering> order(const json::Value& node, const std::string& value)
{
    std::optional<std::string> left;
    if (const json::Number* number = node.as_number()) {
        left = number->digits;
    } else if (const std::string* text = node.as_string()) {
        left = json::canonical_number(*text);
    }
    const std::optional<std::string> right = json::canonical_number(value);
    if (!left || !right) {
        return std::nullopt;
    }
    return json::compare_numbers(*left, *right);
}

bool contains(const json::Value& node, const std::string& value)
{
    if (const std::string* text = node.as_string()) {
        return text->find(value) != std::string::npos;
    }
    if (const json::Array* members = node.as_array()) {
        return std::any_of(members->begin(), members->end(),
                           [&](const json::Value& member) { return equal(member, value); });
    }
    return false;
}

} // namespace

bool holds(const Condition& condition, const json::Value& body, const json::Value* previous_answer)
{
    const json::Value* looked_at = condition.previous_destination.empty() ? &body : previous_answer;
    if (looked_at == nullptr || (looked_at == previous_answer && is_cut(*looked_at))) {
        return false;
    }
    const json::Value* node = condition.path.first(*looked_at);
    if (node == nullptr) {
        return false;
    }

    switch (condition.op) {
    case Operator::eq:
        return equal(*node, condition.value);
    case Operator::ne:
        return !equal(*node, condition.value);
    case Operator::contains:
        return contains(*node, condition.value);
    case Operator::exists:
        return true;
    case Operator::gt:
    case Operator::gte:
    case Operator::lt:
    case Operator::lte:
        break;
    }

    const auto found = order(*node, condition.value);
    if (!found) {
        return false;
    }
    switch (condition.op) {
    case Operator::gt:
        return *found > 0;
    case Operator::gte:
        return *found >= 0;
    case Operator::lt:
        return *found < 0;
    default:
        return *found <= 0;
    }
}

} // namespace sagabox::core
