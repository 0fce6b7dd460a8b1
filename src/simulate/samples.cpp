#include "simulate/samples.hpp"

#include <charconv>
#include <cstddef>
#include <utility>
#include <vector>

namespace sagabox::simulate {

namespace {

using Steps = std::vector<const core::Destination*>;

const core::Destination* find(const Steps& steps, std::string_view name)
{
    for (const core::Destination* step : steps) {
        if (step->name == name) {
            return step;
        }
    }
    return nullptr;
}

/// Whether `name` is `<destination>#<number>` with a route of that number.
bool names_a_route(const Steps& steps, std::string_view name)
{
    const std::size_t mark = name.rfind('#');
    if (mark == std::string_view::npos) {
        return false;
    }
    const core::Destination* step = find(steps, name.substr(0, mark));
    std::size_t number = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + mark + 1, end, number);
    return step != nullptr && error == std::errc{} && stop == end && number >= 1 &&
           number <= step->routes.size();
}

} // namespace

const json::Value* Samples::payload(std::string_view destination) const
{
    const auto found = payloads.find(destination);
    return found == payloads.end() ? nullptr : &found->second;
}

const json::Value* Samples::answer(std::string_view destination, int route) const
{
    const auto own = answers.find(std::string(destination) + "#" + std::to_string(route + 1));
    const auto found = own != answers.end() ? own : answers.find(destination);
    return found == answers.end() ? nullptr : &found->second;
}

Result<Samples> read_samples(std::string_view text, const core::Plan& plan,
                             std::string_view event_type)
{
    const Result<json::Value> parsed = json::parse(text);
    if (!parsed) {
        return fail(parsed.error());
    }
    const json::Object* top = parsed->as_object();
    const auto steps = plan.steps_of(event_type);
    if (top == nullptr || !steps) {
        return fail(Fault::Kind::bad_input,
                    R"(a JSON object {"payloads": {…}, "answers": {…}} is expected)");
    }
    Samples samples;
    for (const auto& [section, value] : *top) {
        const bool is_answers = section == "answers";
        if ((section != "payloads" && !is_answers) || value.as_object() == nullptr) {
            return fail(Fault::Kind::bad_input,
                        section + ": only payloads and answers are known, and each is an object "
                                  "with a member for each destination");
        }
        for (const auto& [name, sample] : *value.as_object()) {
            if (find(*steps, name) == nullptr && !(is_answers && names_a_route(*steps, name))) {
                return fail(Fault::Kind::bad_input,
                            section + "." + name + ": " + std::string(event_type) +
                                " goes to no such destination; for a route's own answer write its "
                                "number after the destination: billing#2");
            }
            (is_answers ? samples.answers : samples.payloads).emplace(name, sample);
        }
    }
    return samples;
}

} // namespace sagabox::simulate
