#include "core/placeholder.hpp"

namespace sagabox::core {
namespace {

bool begins_name(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

bool continues_name(char c)
{
    return begins_name(c) || (c >= '0' && c <= '9') || c == '.' || c == '-';
}

/// C0, DEL, and C1 in UTF-8.
bool holds_control(std::string_view text)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x20 || byte == 0x7f) {
            return true;
        }
        if (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) {
            return true;
        }
    }
    return false;
}

} // namespace

bool is_placeholder_name(std::string_view name)
{
    if (name.empty() || !begins_name(name.front())) {
        return false;
    }
    for (const char c : name) {
        if (!continues_name(c)) {
            return false;
        }
    }
    return true;
}

std::optional<std::string_view> placeholder_at(std::string_view text, std::size_t at)
{
    const std::size_t close = text.find('}', at);
    if (close == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view name = text.substr(at + 1, close - at - 1);
    return is_placeholder_name(name) ? std::optional{name} : std::nullopt;
}

std::optional<std::string_view> misfit(const json::Value* value, Place place)
{
    if (value == nullptr) {
        return "is missing";
    }
    if (value->is_null()) {
        return "is null";
    }
    const std::string* text = value->as_string();
    if (text != nullptr && text->empty()) {
        return "is empty";
    }
    if (place == Place::json_value) {
        return std::nullopt;
    }
    if (value->as_object() != nullptr) {
        return "is an object";
    }
    if (value->as_array() != nullptr) {
        return "is an array";
    }
    if (place == Place::url && text != nullptr && holds_control(*text)) {
        return "holds a control character";
    }
    return std::nullopt;
}

std::string scalar_text(const json::Value& value)
{
    const std::string* text = value.as_string();
    return text != nullptr ? *text : json::write(value);
}

} // namespace sagabox::core
