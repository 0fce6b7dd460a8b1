#include "core/call.hpp"

#include "core/header_list.hpp"
#include "core/http_status.hpp"
#include "core/redact.hpp"

#include <fmt/format.h>

namespace sagabox::core {
namespace {

std::string content_type(const Headers& headers)
{
    for (const auto& [name, value] : headers) {
        if (same_header_name(name, "Content-Type")) {
            return json::to_storable_text(value);
        }
    }
    return {};
}

bool whole(const Answer& answer)
{
    return answer.delivery == Answer::Delivery::answered && !answer.truncated;
}

std::optional<json::Value> stored_body(const Answer& answer, const Redaction& redact)
{
    if (answer.body.empty()) {
        return std::nullopt;
    }
    if (whole(answer)) {
        if (auto parsed = json::parse(answer.body)) {
            return std::move(*parsed);
        }
    }
    json::Object kept;
    kept.set("raw", redact.response.empty() ? json::to_storable_text(answer.body)
                                            : std::string(redacted_text));
    kept.set("contentType", content_type(answer.headers));
    if (!whole(answer)) {
        kept.set("truncated", true);
    }
    return json::Value(std::move(kept));
}

std::string error_text(const Answer& answer)
{
    switch (answer.delivery) {
    case Answer::Delivery::not_sent:
        return answer.error.empty() ? "the request could not be sent"
                                    : json::to_storable_text(answer.error);
    case Answer::Delivery::unanswered: {
        const std::string why =
            answer.error.empty() ? "no answer" : json::to_storable_text(answer.error);
        return answer.status > 0 ? fmt::format("{}, but the answer broke off: {}",
                                               status_text(answer.status), why)
                                 : why;
    }
    case Answer::Delivery::answered:
        break;
    }
    return status_text(answer.status);
}

/// What the rule's header says. Sent twice with different values it says nothing usable.
std::optional<std::string> header_says(const Headers& headers, const std::string& wanted)
{
    std::optional<std::string> found;
    for (const auto& [name, value] : headers) {
        if (!same_header_name(name, wanted)) {
            continue;
        }
        if (found && *found != value) {
            return std::nullopt;
        }
        found = value;
    }
    return found;
}

std::optional<std::string> body_says(const std::optional<json::Value>& body,
                                     const RetryAfterRule& rule)
{
    if (!rule.from_body || !rule.json_path || !body || is_cut(*body)) {
        return std::nullopt;
    }
    const json::Value* node = rule.json_path->first(*body);
    if (node == nullptr) {
        return std::nullopt;
    }
    if (const json::Number* number = node->as_number()) {
        return number->digits;
    }
    const std::string* text = node->as_string();
    return text != nullptr ? std::optional{*text} : std::nullopt;
}

std::optional<std::chrono::milliseconds> asked_pause(const RetryAfterRule& rule,
                                                     const Answer& answer,
                                                     const std::optional<json::Value>& body,
                                                     DbTime now, std::chrono::milliseconds cap)
{
    for (const auto& said :
         {body_says(body, rule), header_says(answer.headers, rule.header_name)}) {
        if (said) {
            if (const auto pause = parse_retry_after(*said, rule.format, now, cap)) {
                return pause;
            }
        }
    }
    if (rule.fallback && (answer.status == 429 || answer.status == 503)) {
        return std::min<std::chrono::milliseconds>(*rule.fallback, cap);
    }
    return std::nullopt;
}

} // namespace

bool is_cut(const json::Value& response)
{
    const json::Object* object = response.as_object();
    if (object == nullptr || object->size() != 3) {
        return false;
    }
    const json::Value* raw = object->find("raw");
    const json::Value* type = object->find("contentType");
    const json::Value* truncated = object->find("truncated");
    return raw != nullptr && raw->as_string() != nullptr && type != nullptr &&
           type->as_string() != nullptr && truncated != nullptr &&
           truncated->as_bool() != nullptr && *truncated->as_bool();
}

StepResult record(const Call& call, const Answer& answer, DbTime now,
                  std::chrono::milliseconds max_retry_after)
{
    StepResult row = call.row;
    row.outcome = classify(answer, row.direction, call.classify);
    row.response_status = std::nullopt;
    if (answer.status > 0 && answer.delivery != Answer::Delivery::not_sent) {
        row.response_status = answer.status;
    }
    row.response = stored_body(answer, call.redact);
    row.error = row.outcome == Outcome::succeeded ? std::string() : error_text(answer);
    row.duration = answer.duration;
    row.published_at = now;
    row.retry_after = std::nullopt;
    if (row.outcome == Outcome::failed || row.outcome == Outcome::unknown) {
        row.retry_after = asked_pause(call.retry_after, answer, row.response, now, max_retry_after);
    }
    if (row.response) {
        row.response = redacted(*std::move(row.response), call.redact.response);
    }
    return row;
}

} // namespace sagabox::core
