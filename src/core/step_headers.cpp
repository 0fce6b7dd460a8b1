#include "core/step_headers.hpp"

#include "core/call.hpp"
#include "core/moment.hpp"

#include <fmt/format.h>

namespace sagabox::core {
namespace {

std::uint64_t hash(std::string_view text, std::uint64_t seed)
{
    std::uint64_t value = 14695981039346656037U ^ seed; // FNV-1a
    for (const char c : text) {
        value = (value ^ static_cast<unsigned char>(c)) * 1099511628211U;
    }
    return value;
}

/// W3C Trace Context ids are invalid when all zero.
std::uint64_t nonzero(std::uint64_t id)
{
    return id == 0 ? 1 : id;
}

bool is_hex(std::string_view text)
{
    return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_zero(std::string_view text)
{
    return text.find_first_not_of('0') == std::string_view::npos;
}

/// One span per step: the same at each attempt, as the whole request is. The trace is the one that
/// the application was in when it committed the event; without one, the event is a trace of its
/// own.
std::string traceparent(const Event& event, const std::string& key)
{
    const std::string span = fmt::format("{:016x}", nonzero(hash(key, 0)));
    if (is_traceparent(event.traceparent)) {
        // Of the flags only two have a meaning, sampled and random; others may not be passed on.
        const auto flags =
            static_cast<unsigned>(std::stoul(event.traceparent.substr(54, 1), nullptr, 16));
        return fmt::format("00-{}-{}-0{}", event.traceparent.substr(3, 32), span, flags & 3U);
    }
    std::string trace;
    for (const char c : event.uuid) {
        const char digit = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
        if ((digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f')) {
            trace += digit;
        }
    }
    if (trace.size() != 32 || trace.find_first_not_of('0') == std::string::npos) {
        trace = fmt::format("{:016x}{:016x}", nonzero(hash(event.uuid, 1)), hash(event.uuid, 2));
    }
    return fmt::format("00-{}-{}-01", trace, span);
}

} // namespace

std::string step_key(const std::string& uuid, int run, std::string_view destination,
                     Direction direction)
{
    std::string text = fmt::format("{}:{}", uuid, destination);
    if (direction == Direction::revert) {
        text += ".revert";
    }
    if (run > 1) {
        text += fmt::format(":{}", run);
    }
    return text;
}

void put_own(HeaderList& headers, const Event& sender, std::string_view destination,
             const std::string& key, const Event& traced)
{
    headers.put("X-Event-Id", std::to_string(sender.id.value));
    headers.put("X-Event-Type", sender.type);
    headers.put("X-Aggregate-Id", sender.aggregate_id);
    headers.put("X-Destination", destination);
    headers.put("X-Created-At", format_rfc3339(sender.created_at));
    headers.put("Idempotency-Key", key);
    headers.put("traceparent", traceparent(traced, key));
}

bool is_traceparent(std::string_view text)
{
    if (text.size() < 55 || text[2] != '-' || text[35] != '-' || text[52] != '-') {
        return false;
    }
    const std::string_view version = text.substr(0, 2);
    const std::string_view trace = text.substr(3, 32);
    const std::string_view span = text.substr(36, 16);
    const std::string_view flags = text.substr(53, 2);
    // A later version may have more parts; version 0 has none, and ff is forbidden.
    const bool ends = version == "00" ? text.size() == 55 : text.size() == 55 || text[55] == '-';
    return ends && version != "ff" && is_hex(version) && is_hex(trace) && is_hex(span) &&
           is_hex(flags) && !is_zero(trace) && !is_zero(span);
}

std::string idempotency_key(const Event& event, std::string_view destination, Direction direction)
{
    return step_key(event.uuid, event.run, destination, direction);
}

} // namespace sagabox::core
