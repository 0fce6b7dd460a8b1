#pragma once

#include "core/header_list.hpp"
#include "core/saga.hpp"

#include <string>
#include <string_view>

namespace sagabox::core {

/// The Idempotency-Key of one step of the event with this uuid, in one of its runs.
[[nodiscard]] std::string step_key(const std::string& uuid, int run, std::string_view destination,
                                   Direction direction);

/// What contract section 6 wants on every request. `sender` is the event on whose behalf the call
/// is made; `traced_uuid` that of the event whose step it is, so that a saga and its undoing are
/// one trace.
void put_own(HeaderList& headers, const Event& sender, std::string_view destination,
             const std::string& key, const std::string& traced_uuid);

} // namespace sagabox::core
