#pragma once

#include <cstdint>
#include <string_view>

namespace shop {

/// FNV-1a: the same on every machine and in every run, which std::hash does not promise.
[[nodiscard]] std::uint64_t stable_hash(std::string_view text,
                                        std::uint64_t from = 0xcbf29ce484222325U);

/// Spreads neighbouring numbers over the whole range from 0 to below 1.
[[nodiscard]] double spread(std::uint64_t number);

} // namespace shop
