#pragma once

#include "base/fault.hpp"
#include "pg/connection.hpp"

#include <string>
#include <utility>
#include <vector>

namespace sagabox::pg {

/// One host to try, as libpq's keywords and values.
struct Target {
    std::vector<std::pair<std::string, std::string>> parameters;
    std::string where; ///< for messages: no secret in it
};

/// The hosts that `options.url` names, in order, with the defaults that a relay needs where the URL
/// says nothing: read-write wanted, a peer that went silent is noticed within half a minute.
///
/// One target for each host, since libpq's own walk over several hosts knows no time limit per host
/// in its non-blocking interface: one host that swallows packets would use up the whole deadline.
[[nodiscard]] Result<std::vector<Target>> targets(const Options& options);

} // namespace sagabox::pg
