#include "pg/session_settings.hpp"

#include <utility>

#include <fmt/format.h>

namespace sagabox::pg {

namespace {

std::string quoted(std::string_view text, char quote)
{
    std::string out(1, quote);
    for (const char c : text) {
        out += c;
        if (c == quote) {
            out += quote;
        }
    }
    out += quote;
    return out;
}

// Standard conforming strings are on in this form whatever the session says.
std::string literal(std::string_view text)
{
    std::string out = " E'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') {
            out += '\\';
        }
        out += c;
    }
    out += '\'';
    return out;
}

using Settings = std::vector<std::pair<std::string, std::string>>;

Settings settings(const Options& options)
{
    Settings all{
        {"search_path", quoted(options.schema, '"')},
        {"timezone", "UTC"},
        {"datestyle", "ISO, MDY"},
        {"intervalstyle", "postgres"},
        {"standard_conforming_strings", "on"},
        {"statement_timeout", std::to_string(options.statement_timeout.count())},
        {"idle_in_transaction_session_timeout", "60s"},
    };
    all.insert(all.end(), options.settings.begin(), options.settings.end());
    return all;
}

bool for_one_transaction(const Options& options)
{
    return options.prepare == Options::Prepare::never;
}

} // namespace

Query session_settings(const Options& options)
{
    std::vector<std::string> names;
    std::vector<std::string> values;
    for (auto& [name, value] : settings(options)) {
        names.push_back(std::move(name));
        values.push_back(std::move(value));
    }
    Query query;
    query.statement = {.name = {},
                       .text = "select pg_catalog.set_config(setting, value, $3::pg_catalog.bool) "
                               "from rows from (pg_catalog.unnest($1::pg_catalog.text[]), "
                               "pg_catalog.unnest($2::pg_catalog.text[])) "
                               "as wanted(setting, value)"};
    query.params.texts(std::span<const std::string>(names))
        .texts(std::span<const std::string>(values))
        .text(for_one_transaction(options) ? "true" : "false");
    return query;
}

std::string session_settings_text(const Options& options)
{
    std::string text = "select ";
    for (const auto& [name, value] : settings(options)) {
        text += fmt::format("pg_catalog.set_config({},{}, true),", literal(name), literal(value));
    }
    text.back() = ';';
    return text;
}

} // namespace sagabox::pg
