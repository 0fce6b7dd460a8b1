#include "config/checks.hpp"
#include "config/values.hpp"

#include "base/address_rules.hpp"
#include "core/outcome_sql.hpp"
#include "core/template.hpp"
#include "json/path.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

namespace sagabox::config {

namespace {

template <class T>
std::optional<std::string> fault_of(const Result<T>& result)
{
    return result ? std::nullopt : std::optional<std::string>(result.error().text());
}

/// Bounds as a person writes them: the largest unit that divides them.
std::string show_duration(double milliseconds)
{
    struct Unit {
        double size;
        std::string_view name;
    };
    for (const Unit& unit : {Unit{86'400e3, "days"}, Unit{3'600e3, "hours"}, Unit{60e3, "minutes"},
                             Unit{1e3, "seconds"}}) {
        const double count = milliseconds / unit.size;
        if (count >= 1 && count == static_cast<double>(static_cast<long long>(count))) {
            return fmt::format("{} {}", count, unit.name);
        }
    }
    return fmt::format("{} ms", milliseconds);
}

std::optional<std::string> outside(const Setting& setting, double value, std::string_view text)
{
    if (value >= setting.min && value <= setting.max) {
        return std::nullopt;
    }
    if (setting.kind == Kind::duration) {
        return fmt::format("\"{}\" is out of range; allowed is {} to {}", text,
                           show_duration(setting.min), show_duration(setting.max));
    }
    if (setting.kind == Kind::bytes) {
        return fmt::format("\"{}\" is out of range; allowed is {} to {} bytes", text, setting.min,
                           setting.max);
    }
    return fmt::format("{} is out of range; allowed is {} to {}", text, setting.min, setting.max);
}

std::optional<std::string> wrong_database(std::string_view text)
{
    if (text.starts_with("jdbc:")) {
        return "a JDBC address is not understood; drop the prefix \"jdbc:\" and put user and "
               "password "
               "into it (postgresql://user@host/database)";
    }
    const std::size_t scheme = text.find("://");
    if (scheme != std::string_view::npos
            ? text.starts_with("postgresql://") || text.starts_with("postgres://")
            : text.find('=') != std::string_view::npos) {
        return std::nullopt;
    }
    return "not a PostgreSQL address; write postgresql://user@host/database or host=… dbname=…";
}

std::optional<std::string> wrong_identifier(std::string_view text)
{
    const bool plain = text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789_") == std::string_view::npos;
    if (text.empty() || text.size() > 63 || !plain || (text[0] >= '0' && text[0] <= '9') ||
        text.starts_with("pg_")) {
        return "not a usable schema name; use up to 63 letters, digits and underscores, beginning "
               "with neither a digit nor pg_";
    }
    return std::nullopt;
}

std::vector<std::string_view> split(std::string_view words)
{
    std::vector<std::string_view> out;
    while (!words.empty()) {
        const std::size_t end = std::min(words.find(' '), words.size());
        out.push_back(words.substr(0, end));
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return out;
}

std::optional<std::string> wrong_choice(const Setting& setting, const std::string& text)
{
    const std::vector<std::string_view> choices = split(setting.choices);
    if (std::ranges::find(choices, text) != choices.end()) {
        return std::nullopt;
    }
    return fmt::format("\"{}\" is not known here; use one of {}.{}", text, fmt::join(choices, ", "),
                       suggestion(text, choices));
}

std::optional<std::string> wrong_text(const Setting& setting, const std::string& text)
{
    switch (setting.kind) {
    case Kind::text:
    case Kind::texts:
    case Kind::secret:
        if (text.empty()) {
            return "empty; give a value, or leave the key out";
        }
        if (has_control_character(text)) {
            return "holds a control character; remove it";
        }
        return std::nullopt;
    case Kind::scalar:
        return std::nullopt;
    case Kind::identifier:
        return wrong_identifier(text);
    case Kind::database_url:
        return wrong_database(text);
    case Kind::duration: {
        const auto value = parse_duration(text);
        return value ? outside(setting, static_cast<double>(value->count()), text)
                     : fault_of(value);
    }
    case Kind::whole: {
        const auto value = parse_whole(text);
        return value ? outside(setting, static_cast<double>(*value), text) : fault_of(value);
    }
    case Kind::bytes: {
        const auto value = parse_bytes(text);
        return value ? outside(setting, static_cast<double>(*value), text) : fault_of(value);
    }
    case Kind::rates:
    case Kind::real: {
        const auto value = parse_real(text);
        return value ? outside(setting, *value, text) : fault_of(value);
    }
    case Kind::boolean:
        return fault_of(parse_boolean(text));
    case Kind::choice:
        return wrong_choice(setting, text);
    case Kind::url: {
        const auto fault = fault_of(core::UrlTemplate::parse(text));
        return fault ? std::optional("not a usable URL: " + *fault) : std::nullopt;
    }
    case Kind::method:
        return fault_of(parse_method(text));
    case Kind::header_name:
        return is_token(text)
                   ? std::nullopt
                   : std::optional<std::string>("not a header's name; use letters, digits "
                                                "and hyphens");
    case Kind::networks:
        return fault_of(AddressRules::blocks_of(text));
    case Kind::file: {
        std::error_code error;
        const bool there = std::filesystem::is_regular_file(text, error);
        return there && std::ifstream(text)
                   ? std::nullopt
                   : std::optional(fmt::format("the file {} can't be read; correct the path, or "
                                               "give this user the right to read it",
                                               text));
    }
    case Kind::json_paths:
    case Kind::json_path: {
        const auto fault = fault_of(json::Path::compile(text));
        return fault ? std::optional("not a JSONPath (RFC 9535): " + *fault) : std::nullopt;
    }
    case Kind::extraction: {
        const auto fault = fault_of(core::Extraction::parse("x", text));
        return fault ? std::optional("write request:$.…, response:$.… or $.…: " + *fault)
                     : std::nullopt;
    }
    case Kind::sql:
        return text.empty() ? std::nullopt : fault_of(core::bind_names(text));
    case Kind::statuses:
        return fault_of(parse_status(text));
    case Kind::headers:
        return has_control_character(text)
                   ? std::optional<std::string>("the header's value holds a control character, "
                                                "perhaps a line break; remove it")
                   : std::nullopt;
    case Kind::body:
    case Kind::names:
    case Kind::section:
    case Kind::section_list:
    case Kind::section_map:
        return std::nullopt;
    }
    return std::nullopt;
}

std::string_view expectation(Kind kind)
{
    switch (kind) {
    case Kind::duration:
        return "a duration";
    case Kind::whole:
        return "a whole number";
    case Kind::bytes:
        return "a size";
    case Kind::rates:
    case Kind::real:
        return "a number";
    case Kind::boolean:
        return "true or false";
    case Kind::url:
        return "a URL";
    case Kind::database_url:
        return "a PostgreSQL address";
    case Kind::json_path:
    case Kind::json_paths:
        return "a JSONPath";
    default:
        return "a usable value";
    }
}

} // namespace

std::optional<std::string> wrong_with(const Setting& setting, const Node& node)
{
    if (node.unresolved) {
        return std::nullopt;
    }
    if (!node.is_scalar()) {
        return fmt::format("a single value belongs here, not a {}{}",
                           node.kind == Node::Kind::list ? "list" : "section",
                           setting.kind == Kind::headers || setting.kind == Kind::extraction
                               ? " (a name with a dot wants quotes: \"a.b\")"
                               : "");
    }
    std::optional<std::string> wrong = wrong_text(setting, node.text);
    if (wrong && !node.variables.empty()) {
        return fmt::format(
            "the environment variable {} does not hold {} for this key (its value is "
            "not shown); correct it or unset it",
            fmt::join(node.variables, ", "), expectation(setting.kind));
    }
    return wrong;
}

} // namespace sagabox::config
