#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace sagabox::log {

enum class Level { debug, info, warning, error };

enum class Format {
    text, ///< time (UTC), level, part, text
    json, ///< one object a line: `time`, `level`, `part`, `message`, and the line's fields
};

/// What a line is about, for programs that read it; the text says the same to people.
using Field = std::pair<std::string_view, std::variant<std::int64_t, std::string_view>>;
using Fields = std::initializer_list<Field>;

/// Writes one line to standard error. Thread-safe. Control characters are escaped, so a value from
/// outside cannot forge a line, and so are bytes that are no UTF-8 where the format is JSON.
void write(Level level, std::string_view part, std::string_view text, Fields fields = {});

/// From now on `***` stands in every line where one of these would: the longest come first. Called
/// again, it adds to what is hidden already, since a line may still hold what a reload replaced.
void hide(const std::vector<std::string>& secrets);

struct Options {
    Format format = Format::text;
    Level level = Level::info;                       ///< lines below it are dropped
    std::map<std::string, Level, std::less<>> parts; ///< a part's own level
};

/// In force from now on, in every thread.
void configure(Options options);

/// From now on nothing is dropped, whatever `configure` says.
void write_everything();

[[nodiscard]] bool enabled(Level level, std::string_view part);

template <class... Args>
void debug(std::string_view part, fmt::format_string<Args...> format, Args&&... args)
{
    if (enabled(Level::debug, part)) {
        write(Level::debug, part, fmt::format(format, std::forward<Args>(args)...));
    }
}
template <class... Args>
void info(std::string_view part, fmt::format_string<Args...> format, Args&&... args)
{
    if (enabled(Level::info, part)) {
        write(Level::info, part, fmt::format(format, std::forward<Args>(args)...));
    }
}
template <class... Args>
void warning(std::string_view part, fmt::format_string<Args...> format, Args&&... args)
{
    write(Level::warning, part, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void error(std::string_view part, fmt::format_string<Args...> format, Args&&... args)
{
    write(Level::error, part, fmt::format(format, std::forward<Args>(args)...));
}

} // namespace sagabox::log
