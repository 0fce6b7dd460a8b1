#pragma once

#include "base/fault.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sagabox::mail {

struct Address {
    std::string name; ///< for people; UTF-8, may be empty
    std::string bare; ///< `local@domain`, the domain in ASCII
};

/// Reads `local@domain`, `Name <local@domain>` or `"Name" <local@domain>`. The whole grammar (RFC
/// 5321, 4.1.2) is intake's business; here the address is made fit for the wire, and refused where
/// a server could read it as another one.
[[nodiscard]] Result<Address> read_address(std::string_view text);

/// Whether two bare addresses mean one mailbox: domains don't care for case, and no server that
/// matters does before the `@`.
[[nodiscard]] bool same_mailbox(std::string_view one, std::string_view other);

[[nodiscard]] bool contains(const std::vector<std::string>& mailboxes, std::string_view bare);

} // namespace sagabox::mail
