#pragma once

#include "config/declarations.hpp"
#include "config/node.hpp"
#include "config/report.hpp"

#include <optional>
#include <string>

namespace sagabox::config {

/// Reports every unknown key and every value that its declaration does not allow, at any depth.
void check_file(const Node& root, Report& report);

/// What is wrong with one scalar, and the cure; nothing where it is fit. Never shows a value that
/// came from the environment.
[[nodiscard]] std::optional<std::string> wrong_with(const Setting& setting, const Node& node);

/// ` Did you mean "x"?`, or nothing where no known name is near.
[[nodiscard]] std::string suggestion(std::string_view name,
                                     const std::vector<std::string_view>& known);

} // namespace sagabox::config
