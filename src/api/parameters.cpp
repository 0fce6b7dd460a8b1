#include "api/parameters.hpp"

#include "api/router.hpp"
#include "store/page.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace sagabox::api {

namespace {

std::optional<int> read_whole(std::string_view text, int least, int most)
{
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < least ||
        number > most) {
        return std::nullopt;
    }
    return number;
}

} // namespace

std::string Parameters::text(std::string_view name)
{
    return std::string(request_.query_value(name));
}

std::optional<std::int64_t> Parameters::before()
{
    const std::string_view given = request_.query_value("before");
    if (given.empty()) {
        return std::nullopt;
    }
    const std::optional<std::int64_t> id = read_id(given);
    if (!id) {
        refuse("before must be a positive whole number: the next of the page before.");
    }
    return id;
}

int Parameters::limit()
{
    constexpr int usual = 50;
    const std::string_view given = request_.query_value("limit");
    if (given.empty()) {
        return usual;
    }
    const std::optional<int> limit = read_whole(given, 1, store::most_items_of_a_page);
    if (!limit) {
        refuse(
            fmt::format("limit must be a whole number from 1 to {}.", store::most_items_of_a_page));
    }
    return limit.value_or(usual);
}

void Parameters::refuse(std::string detail)
{
    if (fault_.empty()) {
        fault_ = std::move(detail);
    }
}

std::optional<http::Response> Parameters::problem() const
{
    if (fault_.empty()) {
        return std::nullopt;
    }
    return api::problem(400, fault_);
}

Body::Body(const http::Request& request)
{
    if (request.body.empty()) {
        return;
    }
    Result<json::Value> parsed = json::parse(request.body);
    if (!parsed) {
        readable_ = false;
    } else if (json::Object* object = parsed->as_object()) {
        object_ = std::move(*object);
    } else {
        faults_.push_back({"", "The body must be a JSON object."});
    }
}

std::string Body::text(const std::string& field, Presence presence, std::size_t most_bytes)
{
    asked_.push_back(field);
    const json::Value* value = object_.find(field);
    if (value == nullptr || value->is_null()) {
        if (presence == Presence::required && readable_) {
            faults_.push_back({field, field + " is missing."});
        }
        return {};
    }
    const std::string* text = value->as_string();
    if (text == nullptr) {
        faults_.push_back({field, field + " must be a string."});
        return {};
    }
    if (text->size() > most_bytes) {
        faults_.push_back(
            {field, fmt::format("{} is too long: at most {} bytes.", field, most_bytes)});
        return {};
    }
    if (presence == Presence::required && text->find_first_not_of(" \t\r\n") == std::string::npos) {
        faults_.push_back({field, field + " must not be blank."});
    }
    return *text;
}

int Body::whole(const std::string& field, int least, int most, int otherwise)
{
    asked_.push_back(field);
    const json::Value* value = object_.find(field);
    if (value == nullptr || value->is_null()) {
        return otherwise;
    }
    const json::Number* number = value->as_number();
    const std::optional<int> whole =
        number != nullptr ? read_whole(number->digits, least, most) : std::nullopt;
    if (!whole) {
        faults_.push_back(
            {field, fmt::format("{} must be a whole number from {} to {}.", field, least, most)});
    }
    return whole.value_or(otherwise);
}

std::optional<http::Response> Body::problem() const
{
    if (!readable_) {
        return api::problem(400, "The body is no JSON document.");
    }
    std::vector<FieldFault> faults = faults_;
    for (const auto& [name, value] : object_) {
        if (std::find(asked_.begin(), asked_.end(), name) == asked_.end()) {
            faults.push_back({name, "There is no such field."});
        }
    }
    if (faults.empty()) {
        return std::nullopt;
    }
    return faults_problem(faults);
}

} // namespace sagabox::api
