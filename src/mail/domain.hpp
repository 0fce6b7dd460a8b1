#pragma once

#include "base/fault.hpp"

#include <string>
#include <string_view>

namespace sagabox::mail {

/// A domain as it travels: `münchen.example` becomes `xn--mnchen-3ya.example` (RFC 5891, with the
/// mapping of UTS 46). One that is ASCII already, an address literal too, stays as it is.
[[nodiscard]] Result<std::string> to_ascii_domain(std::string_view domain);

} // namespace sagabox::mail
