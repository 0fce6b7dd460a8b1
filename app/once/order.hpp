#pragma once

#include "app/once/expected.hpp"

#include <cstdint>
#include <string>

namespace sagabox::app::once {

/// What the shop is asked for.
struct NewOrder {
    std::string customer = "ada";
    std::string amount = "49.90"; ///< decimal digits
    Parcel parcel = Parcel::domestic;
};

/// An order that the shop has placed.
struct Order {
    std::int64_t id = 0;
    NewOrder asked;
};

} // namespace sagabox::app::once
