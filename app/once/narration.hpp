#pragma once

#include "app/once/evidence.hpp"
#include "app/once/order.hpp"

#include <string>

namespace sagabox::app::once {

/// An order's story for a terminal: each event, beneath it a line for each call made on its behalf,
/// and what the order has come to.
[[nodiscard]] std::string narrate(const Order& order, const Evidence& evidence);

} // namespace sagabox::app::once
