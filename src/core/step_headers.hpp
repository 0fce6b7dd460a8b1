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
/// is made; `traced` the event whose step it is, so that a saga and its undoing are one trace.
void put_own(HeaderList& headers, const Event& sender, std::string_view destination,
             const std::string& key, const Event& traced);

/// Whether `text` is a `traceparent` that can be gone on from (W3C Trace Context, section 3.2).
[[nodiscard]] bool is_traceparent(std::string_view text);

} // namespace sagabox::core
