#include "sagabox/payloads.hpp"

#include "json_text.hpp"

namespace sagabox::client {
namespace {

void append_member(std::string& members, std::string_view name, std::string_view value)
{
    if (!members.empty()) {
        members += ',';
    }
    append_quoted(members, name);
    members += ':';
    members += value;
}

template <class Pairs>
void append_section(std::string& members, std::string_view name, const Pairs& pairs)
{
    if (pairs.empty()) {
        return;
    }
    std::string section;
    for (const auto& [key, value] : pairs) {
        append_member(section, key, Json(value).text());
    }
    append_member(members, name, "{" + section + "}");
}

} // namespace

Payloads& Payloads::to(std::string_view destination, const Json& body) &
{
    if (may_be_envelope(body.text())) {
        add(destination, "{\"payload\":" + body.text() + "}");
    } else {
        add(destination, body.text());
    }
    return *this;
}

Payloads&& Payloads::to(std::string_view destination, const Json& body) &&
{
    return std::move(to(destination, body));
}

Payloads& Payloads::envelope(std::string_view destination, const Envelope& envelope) &
{
    std::string members;
    // An object with neither of the two would be taken for a body.
    if (envelope.payload || envelope.path_params.empty()) {
        append_member(members, "payload", envelope.payload ? envelope.payload->text() : "{}");
    }
    append_section(members, "pathParams", envelope.path_params);
    append_section(members, "headers", envelope.headers);
    append_section(members, "query", envelope.query);
    add(destination, "{" + members + "}");
    return *this;
}

Payloads&& Payloads::envelope(std::string_view destination, const Envelope& envelope_) &&
{
    return std::move(envelope(destination, envelope_));
}

std::string Payloads::json() const
{
    return "{" + members_ + "}";
}

void Payloads::add(std::string_view destination, std::string_view value)
{
    append_member(members_, destination, value);
}

} // namespace sagabox::client
