#pragma once

#include "shop/message.hpp"

#include <optional>
#include <string_view>

namespace shop {

/// The demo's own page and what it needs: `/`, `/demo.css`, `/demo.js`. Nothing for other paths.
///
/// Fit for a strict Content-Security-Policy: no inline script or style, nothing from other hosts.
[[nodiscard]] std::optional<Response> page(std::string_view path);

} // namespace shop
