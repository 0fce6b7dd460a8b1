#pragma once

#include "pg/value.hpp"

#include <libpq-fe.h>

namespace sagabox::pg {

/// Copies a libpq result into rows with two allocations, however many rows there are.
struct Rows::Builder {
    [[nodiscard]] static Rows copy(const PGresult& result);
};

} // namespace sagabox::pg
