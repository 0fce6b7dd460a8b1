#pragma once

#include "shop/message.hpp"

#include <string>
#include <variant>

namespace shop {

/// An order as a customer asked for it, checked.
struct NewOrder {
    std::string customer_id;
    std::string total_amount; ///< decimal digits, as they were given
    std::string shipping_type;
};

/// What a body says, or the problem to answer with: each fault is one sentence.
[[nodiscard]] std::variant<NewOrder, Response> read_order(const Request& request);
/// The status that `PUT /api/orders/:id/status` asks for.
[[nodiscard]] std::variant<std::string, Response> read_status(const Request& request);

} // namespace shop
