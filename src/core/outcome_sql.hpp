#pragma once

#include "base/fault.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sagabox::core {

/// A statement with its parameters numbered: `$1` is `names[0]`.
struct BoundSql {
    std::string text;
    std::vector<std::string> names; ///< each once, in order of first use
};

/// Rewrites the named parameters of an outcome's SQL to `$1 … $n`; a cast that follows stays.
///
/// Known are `:aggregate_id`, `:event_id`, `:event_type` and `:reason`. What stands in quotes,
/// dollar quotes or comments is left alone, and so are `::casts`. Fails on any other `:name`, on
/// `$n`, on an unclosed quote or comment, on an empty or a second statement, and on a statement
/// that would begin or end a transaction, since this one runs inside ours.
[[nodiscard]] Result<BoundSql> bind_names(std::string_view sql);

} // namespace sagabox::core
