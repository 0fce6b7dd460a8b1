#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace sagabox::config {

/// What a setting's value is, and so how it is checked, read and described.
enum class Kind : std::uint8_t {
    text,
    secret, ///< text that is never shown
    identifier,
    database_url,
    duration,
    whole,
    bytes, ///< `10 MiB`; a bare number is bytes
    real,
    boolean,
    choice,
    url,
    method,
    header_name,
    json_path,
    json_paths, ///< list of them
    networks,   ///< list of addresses, blocks of them, and names of such
    file,       ///< path of a file that can be read
    scalar,     ///< text, number or boolean, kept as written
    sql,
    body,       ///< a JSON template, as text or as HOCON
    headers,    ///< name to value
    extraction, ///< placeholder to `request:` or `response:` and a JSONPath
    statuses,   ///< list of codes and classes
    texts,      ///< list of texts; a default is separated by spaces
    names,      ///< event type to list of destinations
    rates,      ///< nested names to probability
    section,    ///< one section
    section_list,
    section_map, ///< name to section
};

struct Section;

/// The one declaration of a setting: parser, checks and documentation all read it.
struct Setting {
    std::string_view name;
    Kind kind;
    std::string_view fallback; ///< as one would write it; empty: none
    std::string_view help;
    double min = 0; ///< of a number; of a duration, in milliseconds
    double max = 0;
    std::string_view choices = {}; ///< separated by a space
    const Section* of = nullptr;
};

struct Section {
    std::string_view path; ///< as the documentation writes it
    std::string_view help;
    std::span<const Setting> settings;
    const Section* more = nullptr; ///< whose settings this section has as well

    /// Null pointer where the section has no such setting.
    [[nodiscard]] const Setting* find(std::string_view name) const;
};

/// The whole file. Other top-level names belong to other programs.
[[nodiscard]] const Section& root_section();

/// Every section once, outer ones first.
[[nodiscard]] std::span<const Section* const> all_sections();

} // namespace sagabox::config
