#pragma once

#include <string_view>

namespace sagabox::failpoint {

/// A named moment at which a test may have the process die as by `kill -9`.
///
/// `SAGABOX_FAILPOINT=after_call:17` in the environment ends it at the 17th passing of that moment,
/// counted over all threads. Does nothing in a build without the CMake option SAGABOX_FAILPOINTS.
void pass(std::string_view name);

} // namespace sagabox::failpoint
