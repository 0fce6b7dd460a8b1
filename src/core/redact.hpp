#pragma once

#include "core/plan.hpp"
#include "json/value.hpp"

#include <string_view>
#include <vector>

namespace sagabox::core {

/// Stands where a value was that must not be kept. No revert is ever built from it.
inline constexpr std::string_view redacted_text = "[redacted]";

/// `body` with each node that one of `paths` selects replaced by `redacted_text`.
[[nodiscard]] json::Value redacted(json::Value body, const std::vector<json::Path>& paths);

/// An event's payloads as they may be shown: each destination's body as its routes would have its
/// request kept.
[[nodiscard]] json::Value shown_payloads(json::Value payloads, const Plan& plan);

[[nodiscard]] bool is_redacted(const json::Value& value);

} // namespace sagabox::core
