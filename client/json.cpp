#include "sagabox/json.hpp"

#include "json_text.hpp"

#include <stdexcept>

namespace sagabox::client {
namespace {

template <class Members>
void write_object(std::string& out, const Members& members)
{
    out = "{";
    for (const auto& [name, value] : members) {
        if (out.size() > 1) {
            out += ',';
        }
        append_quoted(out, name);
        out += ':';
        out += value.text();
    }
    out += '}';
}

template <class Elements>
void write_array(std::string& out, const Elements& elements)
{
    out = "[";
    for (const Json& element : elements) {
        if (out.size() > 1) {
            out += ',';
        }
        out += element.text();
    }
    out += ']';
}

} // namespace

Json::Json(std::nullptr_t) : text_("null") {}

Json::Json(std::string_view text)
{
    append_quoted(text_, text);
}

Json Json::number(std::string_view digits)
{
    if (!is_number(digits)) {
        throw std::invalid_argument("Not a JSON number: " + std::string(digits.substr(0, 40)));
    }
    Json made;
    made.text_ = digits;
    return made;
}

Json Json::parsed(std::string_view text)
{
    if (!is_document(text)) {
        throw std::invalid_argument("Not one JSON document: " + std::string(text.substr(0, 40)));
    }
    Json made;
    made.text_ = text;
    return made;
}

Json Json::object(std::initializer_list<Member> members)
{
    Json made;
    write_object(made.text_, members);
    return made;
}

Json Json::object(const std::vector<std::pair<std::string, Json>>& members)
{
    Json made;
    write_object(made.text_, members);
    return made;
}

Json Json::array(std::initializer_list<Json> elements)
{
    Json made;
    write_array(made.text_, elements);
    return made;
}

Json Json::array(const std::vector<Json>& elements)
{
    Json made;
    write_array(made.text_, elements);
    return made;
}

} // namespace sagabox::client
