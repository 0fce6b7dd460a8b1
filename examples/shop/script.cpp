#include "shop/script.hpp"

#include "shop/services.hpp"

#include <charconv>

#include <nlohmann/json.hpp>

namespace shop {
namespace {

using Parsed = nlohmann::json;

constexpr std::size_t most_scripts = 10'000;
constexpr std::size_t most_answers = 1'000;
constexpr std::chrono::minutes longest_hang{10};

/// `6s`, `500ms`, `2m`.
std::optional<std::chrono::milliseconds> read_span(std::string_view text)
{
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    const int factor = unit == "ms" ? 1 : unit == "s" ? 1'000 : unit == "m" ? 60'000 : 0;
    if (error != std::errc{} || factor == 0 || number < 0) {
        return std::nullopt;
    }
    const std::chrono::milliseconds span{std::int64_t{number} * factor};
    return span > longest_hang ? std::nullopt : std::optional(span);
}

std::optional<ScriptedAnswer> read_answer(const Parsed& object)
{
    if (!object.is_object()) {
        return std::nullopt;
    }
    ScriptedAnswer answer;
    for (const auto& [name, value] : object.items()) {
        if (name == "status" && value.is_number_integer()) {
            const auto status = value.get<std::int64_t>();
            if (status < 200 || status > 599) {
                return std::nullopt;
            }
            answer.status = static_cast<int>(status);
        } else if (name == "times" && value.is_number_integer()) {
            const auto times = value.get<std::int64_t>();
            if (times < 1 || times > 1'000'000) {
                return std::nullopt;
            }
            answer.times = static_cast<int>(times);
        } else if (name == "retryAfter" && (value.is_string() || value.is_number_integer())) {
            answer.retry_after = value.is_string() ? value.get<std::string>() : value.dump();
        } else if (name == "hang" && value.is_string()) {
            const auto span = read_span(value.get<std::string>());
            if (!span) {
                return std::nullopt;
            }
            answer.hang = *span;
        } else if (name == "effect" && value.is_boolean()) {
            answer.effect = value.get<bool>();
        } else {
            return std::nullopt;
        }
    }
    answer.effect = answer.effect || (answer.status >= 200 && answer.status < 300);
    return answer;
}

Json answer_json(const ScriptedAnswer& answer)
{
    return Json::object({{"status", answer.status},
                         {"times", answer.times},
                         {"retryAfter", answer.retry_after},
                         {"hang", std::to_string(answer.hang.count()) + "ms"},
                         {"effect", answer.effect}});
}

std::string text_of(const Parsed& object, const char* name)
{
    const auto found = object.find(name);
    if (found == object.end()) {
        return {};
    }
    return found->is_string() ? found->get<std::string>() : found->dump();
}

} // namespace

Response Script::put(std::string_view body)
{
    const Parsed parsed = Parsed::parse(body.begin(), body.end(), nullptr, false);
    if (!parsed.is_object() || !parsed.contains("answers") || !parsed["answers"].is_array()) {
        return problem(400, "Send {service, aggregateId, answers: [...]} as JSON.");
    }
    const std::string action = text_of(parsed, "service");
    if (!is_action(action)) {
        return problem(422, "service must be an action such as billing.charge; GET "
                            "/api/simulators/failure-rates lists them.");
    }
    std::deque<ScriptedAnswer> answers;
    for (const Parsed& one : parsed["answers"]) {
        const std::optional<ScriptedAnswer> answer = read_answer(one);
        if (!answer) {
            return problem(422, "Each answer is {status: 200..599, times: 1.., retryAfter, hang: "
                                "\"6s\" (at most 10m), effect}, all optional.");
        }
        answers.push_back(*answer);
    }
    const Key key{action, text_of(parsed, "aggregateId")};
    if (answers.size() > most_answers ||
        (answers_.size() >= most_scripts && !answers_.contains(key))) {
        return problem(422, "That is more script than the simulators keep; POST "
                            "/api/simulators/reset makes room.");
    }
    if (answers.empty()) {
        answers_.erase(key);
    } else {
        answers_[key] = std::move(answers);
    }
    return json(200, read());
}

std::optional<ScriptedAnswer> Script::take(std::string_view action, const std::string& aggregate)
{
    auto found = answers_.find(Key(action, aggregate));
    if (found == answers_.end()) {
        found = answers_.find(Key(action, ""));
    }
    if (found == answers_.end()) {
        return std::nullopt;
    }
    std::deque<ScriptedAnswer>& left = found->second;
    const ScriptedAnswer answer = left.front();
    if (--left.front().times == 0) {
        left.pop_front();
    }
    if (left.empty()) {
        answers_.erase(found);
    }
    return answer;
}

Json Script::read() const
{
    std::vector<Json> scripts;
    for (const auto& [key, answers] : answers_) {
        std::vector<Json> list;
        for (const ScriptedAnswer& answer : answers) {
            list.push_back(answer_json(answer));
        }
        scripts.push_back(
            Json::object({{"service", key.first},
                          {"aggregateId", key.second.empty() ? Json(nullptr) : Json(key.second)},
                          {"answers", Json::array(list)}}));
    }
    return Json::object({{"scripts", Json::array(scripts)}});
}

} // namespace shop
