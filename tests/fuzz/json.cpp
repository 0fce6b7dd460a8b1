#include "json/value.hpp"

#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <variant>

namespace sagabox::fuzz {

namespace {

std::size_t depth_of(const json::Value& value)
{
    std::size_t deepest = 0;
    if (const json::Array* array = value.as_array()) {
        for (const json::Value& item : *array) {
            deepest = std::max(deepest, depth_of(item));
        }
        return deepest + 1;
    }
    if (const json::Object* object = value.as_object()) {
        for (const auto& [name, member] : *object) {
            deepest = std::max(deepest, depth_of(member));
        }
        return deepest + 1;
    }
    return 0;
}

/// `-`? digits without a leading zero, and digits behind a point: jsonb's form.
bool is_plain_number(std::string_view digits)
{
    if (digits.starts_with('-')) {
        digits.remove_prefix(1);
        if (digits.find_first_of("123456789") == std::string_view::npos) {
            return false; // a negative zero
        }
    }
    const std::size_t point = std::min(digits.find('.'), digits.size());
    const std::string_view whole = digits.substr(0, point);
    const std::string_view fraction = digits.substr(std::min(point + 1, digits.size()));
    const auto all_digits = [](std::string_view text) {
        return text.find_first_not_of("0123456789") == std::string_view::npos;
    };
    return !whole.empty() && all_digits(whole) && all_digits(fraction) &&
           (whole == "0" || whole.front() != '0') && (point == digits.size() || !fraction.empty());
}

void check_values(const json::Value& value)
{
    if (const json::Number* number = value.as_number()) {
        require(is_plain_number(number->digits), "a number has jsonb's form");
    } else if (const json::Array* array = value.as_array()) {
        std::for_each(array->begin(), array->end(), &check_values);
    } else if (const json::Object* object = value.as_object()) {
        std::string_view before;
        bool first = true;
        for (const auto& [name, member] : *object) {
            require(first || before.size() < name.size() ||
                        (before.size() == name.size() && before < name),
                    "names are in jsonb's order, each once");
            require(object->find(name) == &member, "a name finds its member");
            before = name;
            first = false;
            check_values(member);
        }
    }
}

} // namespace

void json(std::string_view input)
{
    if (const auto document = json::parse(input)) {
        require(depth_of(*document) <= json::max_depth, "nesting has a bound");
        check_values(*document);
        const std::string written = json::write(*document);
        const auto again = json::parse(written);
        require(again.has_value(), "what was written can be read");
        require(*again == *document, "what was written is read as it was");
        require(json::write(*again) == written, "the same document is written alike");
        require(written.find('\0') == std::string::npos, "no NUL is written");
    }

    const std::string text = json::to_storable_text(input);
    require(json::to_storable_text(text) == text, "storable text stays itself");
    const auto literal = json::parse(json::quote(text));
    require(literal && literal->as_string() != nullptr && *literal->as_string() == text,
            "storable text survives as a JSON string");
}

} // namespace sagabox::fuzz
