#include "core/template.hpp"

#include "core/placeholder.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sagabox::core {
namespace {

/// Copies `text` in one pass, and has each placeholder replaced by `insert(out, name, place)`,
/// which appends JSON text. Ends at the first insertion that fails.
template <class Insert>
Result<std::string> substitute(std::string_view text, Insert insert)
{
    std::string out;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '{') {
            if (const auto name = placeholder_at(text, i)) {
                const Result<void> inserted =
                    insert(out, *name, in_string ? Place::string : Place::json_value);
                if (!inserted) {
                    return fail(inserted.error());
                }
                i += name->size() + 1;
                continue;
            }
        }
        if (in_string && c == '\\' && i + 1 < text.size()) {
            out += c;
            out += text[++i];
            continue;
        }
        in_string = in_string != (c == '"');
        out += c;
    }
    return out;
}

std::string inside_quotes(std::string_view s)
{
    const std::string quoted = json::quote(s);
    return quoted.substr(1, quoted.size() - 2);
}

Result<void> insert_value(std::string& out, std::string_view name, const json::Value* value,
                          Place place)
{
    if (const auto why = misfit(value, place)) {
        return fail(Fault::Kind::bad_input, fmt::format("{} {}", name, *why));
    }
    if (place == Place::string) {
        out += inside_quotes(scalar_text(*value));
    } else {
        json::write_to(out, *value);
    }
    return {};
}

} // namespace

Result<BodyTemplate> BodyTemplate::parse(std::string_view text)
{
    BodyTemplate body;
    body.text_ = text;

    // The stand-ins are such that nothing beside them can make them part of a longer token: `null`
    // joins with no number, `z` completes no escape.
    const auto sample =
        substitute(text, [&](std::string& out, std::string_view name, Place place) -> Result<void> {
            if (std::find(body.names_.begin(), body.names_.end(), name) == body.names_.end()) {
                body.names_.emplace_back(name);
            }
            out += place == Place::string ? "z" : "null";
            return {};
        });
    if (const auto parsed = json::parse(*sample); !parsed) {
        return fail(Fault::Kind::bad_input,
                    fmt::format("the body would be no JSON document: {}", parsed.error().text()));
    }
    return body;
}

Result<json::Value> BodyTemplate::fill(const Lookup& lookup) const
{
    const Result<std::string> filled =
        substitute(text_, [&](std::string& out, std::string_view name, Place place) {
            return insert_value(out, name, lookup(name), place);
        });
    if (!filled) {
        return fail(filled.error());
    }
    return json::parse(*filled);
}

Result<std::string> BodyTemplate::fill_text(const Lookup& lookup) const
{
    return substitute(
        text_, [&](std::string& out, std::string_view name, Place place) -> Result<void> {
            const json::Value* value = lookup(name);
            if (value != nullptr && value->as_string() != nullptr && value->as_string()->empty()) {
                out += place == Place::string ? "" : R"("")";
                return {};
            }
            return insert_value(out, name, value, place);
        });
}

} // namespace sagabox::core
