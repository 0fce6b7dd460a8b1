#include "core/redact.hpp"

#include "core/call.hpp"

#include <unordered_set>
#include <utility>

namespace sagabox::core {
namespace {

using Nodes = std::unordered_set<const json::Value*>;

json::Value without(const json::Value& value, const Nodes& hidden)
{
    if (hidden.contains(&value)) {
        return redacted_text;
    }
    if (const json::Array* array = value.as_array()) {
        json::Array kept;
        kept.reserve(array->size());
        for (const json::Value& item : *array) {
            kept.push_back(without(item, hidden));
        }
        return kept;
    }
    if (const json::Object* object = value.as_object()) {
        std::vector<json::Object::Member> kept;
        kept.reserve(object->size());
        for (const auto& [name, member] : *object) {
            kept.emplace_back(name, without(member, hidden));
        }
        return json::Object::from_members(std::move(kept));
    }
    return value;
}

std::vector<json::Path> request_paths(const Destination& destination)
{
    std::vector<json::Path> paths;
    for (const Route& route : destination.routes) {
        paths.insert(paths.end(), route.redact.request.begin(), route.redact.request.end());
    }
    return paths;
}

} // namespace

json::Value redacted(json::Value body, const std::vector<json::Path>& paths)
{
    Nodes hidden;
    for (const json::Path& path : paths) {
        for (const json::Value* node : path.select(body)) {
            hidden.insert(node);
        }
    }
    return hidden.empty() ? body : without(body, hidden);
}

json::Value shown_payloads(json::Value payloads, const Plan& plan)
{
    json::Object* members = payloads.as_object();
    if (members == nullptr) {
        return payloads;
    }
    for (const auto& [name, destination] : plan.destinations) {
        const std::vector<json::Path> paths = request_paths(destination);
        const json::Value* sent = paths.empty() ? nullptr : members->find(name);
        if (sent == nullptr) {
            continue;
        }
        if (!is_envelope(*sent)) {
            members->set(name, redacted(*sent, paths));
        } else if (const json::Value* body = sent->find("payload")) {
            json::Object envelope = *sent->as_object();
            envelope.set("payload", redacted(*body, paths));
            members->set(name, std::move(envelope));
        }
    }
    return payloads;
}

bool is_redacted(const json::Value& value)
{
    const std::string* text = value.as_string();
    return text != nullptr && *text == redacted_text;
}

} // namespace sagabox::core
