#pragma once

#include "config/node.hpp"
#include "config/report.hpp"

#include <functional>
#include <optional>
#include <string>

namespace sagabox::config {

/// Reads an environment variable.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// The process's own environment: the one place of this part that looks at it.
[[nodiscard]] Environment process_environment();

/// Reads a HOCON file with its includes (relative to the file that includes them) and
/// substitutions. Everything amiss goes into `report`; what could be read comes back all the same,
/// nothing only where the file as a whole is of no use.
[[nodiscard]] std::optional<Node> read_file(const std::string& path, Report& report);

/// The same for text that stands in for a file called `name`.
[[nodiscard]] std::optional<Node> read_text(const std::string& text, const std::string& name,
                                            Report& report);

} // namespace sagabox::config
