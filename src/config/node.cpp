#include "config/node.hpp"

#include "json/value.hpp"

#include <algorithm>

namespace sagabox::config {

const Node* Node::find(std::string_view name) const
{
    const auto found = members.find(name);
    if (found == members.end() || found->second.kind == Kind::null) {
        return nullptr;
    }
    return &found->second;
}

std::string to_json(const Node& node)
{
    switch (node.kind) {
    case Node::Kind::null:
        return "null";
    case Node::Kind::text:
        return json::quote(node.text);
    case Node::Kind::number:
    case Node::Kind::boolean:
        return node.text;
    case Node::Kind::list: {
        std::string out = "[";
        for (const Node& item : node.items) {
            out += (out.size() > 1 ? "," : "") + to_json(item);
        }
        return out + "]";
    }
    case Node::Kind::object: {
        std::string out = "{";
        for (const auto& [name, member] : node.members) {
            out += (out.size() > 1 ? "," : "") + json::quote(name) + ":" + to_json(member);
        }
        return out + "}";
    }
    }
    return "null";
}

std::string join(std::string_view parent, std::string_view name)
{
    const auto plain = [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '*';
    };
    std::string out(parent);
    if (!out.empty()) {
        out += '.';
    }
    if (!name.empty() && std::ranges::all_of(name, plain)) {
        return out.append(name);
    }
    return out + json::quote(name);
}

} // namespace sagabox::config
