#include "core/template.hpp"

#include "core/placeholder.hpp"

#include <fmt/format.h>

namespace sagabox::core {
namespace {

std::string_view trimmed(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) {
        return {};
    }
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

} // namespace

Result<Extraction> Extraction::parse(std::string name, std::string_view expression)
{
    if (!is_placeholder_name(name)) {
        return fail(Fault::Kind::bad_input,
                    fmt::format("{} is no placeholder's name: a letter or _ first, then letters, "
                                "digits, _ . -",
                                json::quote(name)));
    }

    Source source = Source::response;
    std::string_view query = trimmed(expression);
    if (query.starts_with("request:")) {
        source = Source::request;
        query = trimmed(query.substr(8));
    } else if (query.starts_with("response:")) {
        query = trimmed(query.substr(9));
    } else if (!query.starts_with('$')) {
        return fail(Fault::Kind::bad_input,
                    fmt::format("{}: {} begins with none of request: response: $", name,
                                json::quote(expression)));
    }

    auto path = json::Path::compile(query);
    if (!path) {
        return fail(Fault::Kind::bad_input, fmt::format("{}: {}", name, path.error().text()));
    }
    return Extraction{std::move(name), source, std::move(*path)};
}

} // namespace sagabox::core
