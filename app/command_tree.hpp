#pragma once

#include <string>

#include <CLI/App.hpp>

namespace sagabox::app {

/// What completes our command line in a shell: `bash`, `zsh` or `fish`. Made from the commands
/// themselves, so that it knows each of them.
[[nodiscard]] std::string completion_script(const CLI::App& program, const std::string& shell);

/// The manual page, in the roff of man(7). Made from the commands themselves.
[[nodiscard]] std::string manual_page(const CLI::App& program);

} // namespace sagabox::app
