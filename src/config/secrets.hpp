#pragma once

#include "config/node.hpp"
#include "config/reader.hpp"

#include <string>
#include <vector>

namespace sagabox::config {

/// Every string of Sagabox's sections that must never be printed: what came from the environment
/// (numbers and switches aside), what stands under a name that says so, and the passwords and
/// tokens inside addresses. Longest first, so that a secret inside another does not spoil its
/// redaction.
[[nodiscard]] std::vector<std::string> secrets_of(const Node& root, const Environment& environment);

/// The secret parts of one address: userinfo's password, and query values whose names say so.
[[nodiscard]] std::vector<std::string> secrets_in_address(std::string_view address);

/// Drops what is empty or too short to be told from ordinary text, and sorts longest first.
void tidy_secrets(std::vector<std::string>& secrets);

} // namespace sagabox::config
