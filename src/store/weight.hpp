#pragma once

#include "store/entry.hpp"

#include <cstddef>

namespace sagabox::store {

/// About how many bytes an entry takes on its way to PostgreSQL. A flush is bounded by it, since a
/// message beyond 1 GiB ends the session, and would do so at every further try.
[[nodiscard]] std::size_t weight(const Entry& entry);

} // namespace sagabox::store
