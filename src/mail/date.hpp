#pragma once

#include "base/clock.hpp"

#include <string>

namespace sagabox::mail {

/// A moment as RFC 5322 section 3.3 writes it, in UTC: `Tue, 01 Dec 2026 03:49:10 +0000`.
[[nodiscard]] std::string to_date(DbTime moment);

} // namespace sagabox::mail
