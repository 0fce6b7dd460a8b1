#pragma once

#include <string>

namespace sagabox::config {

/// The tables of every key for docs/configuration.md, made from the declarations.
[[nodiscard]] std::string reference_markdown();

} // namespace sagabox::config
