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

/// One trace per event, one span per step: the same at each attempt, as the whole request is.
std::string traceparent(const std::string& event_uuid, const std::string& key)
{
    std::string trace;
    for (const char c : event_uuid) {
        const char digit = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
        if ((digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f')) {
            trace += digit;
        }
    }
    if (trace.size() != 32 || trace.find_first_not_of('0') == std::string::npos) {
        trace = fmt::format("{:016x}{:016x}", nonzero(hash(event_uuid, 1)), hash(event_uuid, 2));
    }
    return fmt::format("00-{}-{:016x}-01", trace, nonzero(hash(key, 0)));
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
             const std::string& key, const std::string& traced_uuid)
{
    headers.put("X-Event-Id", std::to_string(sender.id.value));
    headers.put("X-Event-Type", sender.type);
    headers.put("X-Aggregate-Id", sender.aggregate_id);
    headers.put("X-Destination", destination);
    headers.put("X-Created-At", format_rfc3339(sender.created_at));
    headers.put("Idempotency-Key", key);
    headers.put("traceparent", traceparent(traced_uuid, key));
}

std::string idempotency_key(const Event& event, std::string_view destination, Direction direction)
{
    return step_key(event.uuid, event.run, destination, direction);
}

} // namespace sagabox::core
