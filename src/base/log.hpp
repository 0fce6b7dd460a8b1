#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace sagabox::log {

enum class Level { debug, info, warning, error };

/// Writes one line to standard error: time (UTC), level, part, text. Thread-safe. Control
/// characters in `text` are escaped, so a value from outside cannot forge a line.
void write(Level level, std::string_view part, std::string_view text);

/// From now on `***` stands in every line where one of these would: the longest come first. Called
/// again, it adds to what is hidden already, since a line may still hold what a reload replaced.
void hide(const std::vector<std::string>& secrets);

/// Lines below `level` are dropped. Default: info.
void set_level(Level level);
[[nodiscard]] bool enabled(Level level);

template <class... Args>
void debug(std::string_view part, fmt::format_string<Args...> format, Args&&... args)
{
    if (enabled(Level::debug)) {
        write(Level::debug, part, fmt::format(format, std::forward<Args>(args)...));
    }
}
template <class... Args>
void info(std::string_view part, fmt::format_string<Args...> format, Args&&... args)
{
    if (enabled(Level::info)) {
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
