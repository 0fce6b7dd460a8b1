#pragma once

#include "base/fault.hpp"

#include <string_view>

namespace sagabox::pg {

/// What a SQLSTATE means to us. Everything that is not listed in the source is `refused`: the
/// server understood, and would say the same again.
[[nodiscard]] Fault::Kind kind_of_sqlstate(std::string_view code);

} // namespace sagabox::pg
