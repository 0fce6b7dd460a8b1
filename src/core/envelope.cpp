#include "core/call.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sagabox::core {
namespace {

bool has_only_envelope_keys(const json::Object& object)
{
    constexpr std::string_view keys[] = {"payload", "pathParams", "headers", "query"};
    const bool only_keys =
        std::all_of(object.begin(), object.end(), [&](const json::Object::Member& member) {
            return std::find(std::begin(keys), std::end(keys), member.first) != std::end(keys);
        });
    return only_keys && (object.find("payload") != nullptr || object.find("pathParams") != nullptr);
}

/// A member that must be an object, or be absent or null.
json::Object take_object(const json::Object& from, std::string_view name, std::string& defect)
{
    const json::Value* value = from.find(name);
    if (value == nullptr || value->is_null()) {
        return {};
    }
    if (const json::Object* object = value->as_object()) {
        return *object;
    }
    defect = fmt::format("{} must be a JSON object", name);
    return {};
}

} // namespace

bool is_envelope(const json::Value& sent)
{
    const json::Object* object = sent.as_object();
    return object != nullptr && has_only_envelope_keys(*object);
}

Envelope envelope_for(const Event& event, std::string_view destination)
{
    Envelope envelope;
    envelope.body = json::Object{};
    const json::Value* sent = event.payloads.find(destination);
    if (sent == nullptr) {
        return envelope;
    }

    envelope.present = true;
    const json::Object* object = sent->as_object();
    if (!is_envelope(*sent)) {
        envelope.body = *sent;
        return envelope;
    }
    if (const json::Value* payload = object->find("payload")) {
        envelope.body = *payload;
    }
    envelope.path_params = take_object(*object, "pathParams", envelope.defect);
    envelope.query = take_object(*object, "query", envelope.defect);
    envelope.headers = take_object(*object, "headers", envelope.defect);
    return envelope;
}

} // namespace sagabox::core
