#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace sagabox::config {

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`; case counts
/// for nothing.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name that was most likely meant; nothing where none is near.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view name,
                                                      std::span<const std::string_view> known);

} // namespace sagabox::config
