#include "config/reference.hpp"

#include "config/declarations.hpp"

#include <fmt/format.h>

namespace sagabox::config {

namespace {

std::string show_time(double milliseconds)
{
    struct Unit {
        double size;
        std::string_view name;
    };
    for (const Unit& unit :
         {Unit{86'400e3, "d"}, Unit{3'600e3, "h"}, Unit{60e3, "min"}, Unit{1e3, "s"}}) {
        const double count = milliseconds / unit.size;
        if (count >= 1 && count == static_cast<double>(static_cast<long long>(count))) {
            return fmt::format("{} {}", count, unit.name);
        }
    }
    return fmt::format("{} ms", milliseconds);
}

std::string show_size(double bytes)
{
    constexpr double mebibyte = 1'048'576;
    return bytes < mebibyte ? fmt::format("{} B", bytes) : fmt::format("{} MiB", bytes / mebibyte);
}

std::string kind_of(const Setting& setting)
{
    switch (setting.kind) {
    case Kind::text:
        return "text";
    case Kind::secret:
        return "text, secret";
    case Kind::identifier:
        return "identifier";
    case Kind::database_url:
        return "address";
    case Kind::duration:
        return fmt::format("duration, {} … {}", show_time(setting.min), show_time(setting.max));
    case Kind::whole:
        return fmt::format("integer, {} … {}", setting.min, setting.max);
    case Kind::bytes:
        return fmt::format("size, {} … {}", show_size(setting.min), show_size(setting.max));
    case Kind::real:
        return fmt::format("number, {} … {}", setting.min, setting.max);
    case Kind::rates:
        return fmt::format("names to numbers, {} … {}", setting.min, setting.max);
    case Kind::boolean:
        return "true, false";
    case Kind::choice: {
        std::string out;
        for (const char c : setting.choices) {
            out += c == ' ' ? std::string("`, `") : std::string(1, c);
        }
        return "`" + out + "`";
    }
    case Kind::url:
        return "http(s) URL";
    case Kind::method:
        return "HTTP method";
    case Kind::header_name:
        return "header name";
    case Kind::json_path:
        return "JSONPath";
    case Kind::json_paths:
        return "list of JSONPaths";
    case Kind::networks:
        return "list of addresses";
    case Kind::file:
        return "path of a file";
    case Kind::scalar:
        return "text, number, boolean";
    case Kind::sql:
        return "SQL";
    case Kind::body:
        return "JSON template";
    case Kind::headers:
        return "name to text";
    case Kind::extraction:
        return "name to path";
    case Kind::statuses:
        return "list of statuses";
    case Kind::texts:
        return "list of texts";
    case Kind::names:
        return "type to list of names";
    case Kind::section:
        return fmt::format("section `{}`", setting.of->path);
    case Kind::section_list:
        return fmt::format("list of `{}`", setting.of->path);
    case Kind::section_map:
        return fmt::format("name to `{}`", setting.of->path);
    }
    return {};
}

} // namespace

std::string reference_markdown()
{
    std::string out;
    for (const Section* section : all_sections()) {
        out += fmt::format("### `{}`\n\n{}\n\n", section->path, section->help);
        out += "| key | value | default | meaning |\n| --- | --- | --- | --- |\n";
        for (const Setting& setting : section->settings) {
            out +=
                fmt::format("| `{}` | {} | {} | {} |\n", setting.name, kind_of(setting),
                            setting.fallback.empty() ? "" : fmt::format("`{}`", setting.fallback),
                            setting.help);
        }
        out += "\n";
    }
    out.pop_back();
    return out;
}

} // namespace sagabox::config
