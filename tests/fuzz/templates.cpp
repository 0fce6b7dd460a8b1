#include "core/template.hpp"

#include "tests/fuzz/target.hpp"

#include <algorithm>

namespace sagabox::fuzz {

namespace {

core::Lookup lookup_in(const json::Value& values)
{
    return [&values](std::string_view name) {
        return values.find(name);
    };
}

json::Value values_of(std::string_view text)
{
    auto values = json::parse(text);
    return values ? std::move(*values) : json::Value(json::Object());
}

bool has_empty_string(const json::Value& values, const std::vector<std::string>& names)
{
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        const json::Value* value = values.find(name);
        return value != nullptr && value->as_string() != nullptr && value->as_string()->empty();
    });
}

/// The template with nothing where its placeholders stand.
std::string without_placeholders(const core::UrlTemplate& url)
{
    std::string text = url.text();
    for (const std::string& name : url.placeholders()) {
        const std::string written = "{" + name + "}";
        const std::size_t at = text.find(written);
        require(at != std::string::npos, "a placeholder stands in the text");
        text.erase(at, written.size());
    }
    return text;
}

std::string_view origin_of(std::string_view url)
{
    const std::size_t host = url.find("://") + 3;
    return url.substr(0, std::min(url.find_first_of("/?#", host), url.size()));
}

} // namespace

void body_template(std::string_view input)
{
    const auto parts = pieces(input, 2);
    const auto body = core::BodyTemplate::parse(parts[0]);
    if (!body) {
        return;
    }
    const json::Value values = values_of(parts[1]);
    const auto filled = body->fill(lookup_in(values));
    const auto text = body->fill_text(lookup_in(values));
    if (!filled) {
        require(!filled.error().text().empty(), "a fault says what is missing");
        require(!text || has_empty_string(values, body->placeholders()),
                "text is built where the body is, and only empty strings make a difference");
        return;
    }
    require(text.has_value(), "what can be built can be written");
    const auto read = json::parse(*text);
    require(read && *read == *filled, "the text is the body");
    if (body->placeholders().empty()) {
        const auto plain = json::parse(parts[0]);
        require(plain && *plain == *filled, "without placeholders, a template is its own text");
    }
}

void url_template(std::string_view input)
{
    const auto parts = pieces(input, 2);
    (void)core::UrlTemplate::without_secrets(parts[0]);
    const auto url = core::UrlTemplate::parse(parts[0]);
    if (!url) {
        return;
    }
    require(url->text() == parts[0], "a template keeps its text");
    const json::Value values = values_of(parts[1]);
    const auto filled = url->fill(lookup_in(values));
    if (!filled) {
        require(!url->placeholders().empty(), "only a placeholder can lack a value");
        return;
    }
    const std::string bare = without_placeholders(*url);
    require(origin_of(*filled) == origin_of(bare), "no value reaches the host");
    require(count_of(*filled, "/?#&=@:") == count_of(bare, "/?#&=@:"),
            "no value adds a segment, a query or a fragment");
    require(!breaks_lines(*filled), "no value breaks a line");
    require(count_of(*filled, "{}") == 0, "no placeholder is left");

    const std::string shown = core::UrlTemplate::without_secrets(*filled);
    require(origin_of(shown).find('@') == std::string_view::npos, "userinfo is not shown");
    require(core::UrlTemplate::without_secrets(shown) == shown, "what may be shown stays itself");
}

} // namespace sagabox::fuzz
