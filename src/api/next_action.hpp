#pragma once

#include "core/plan.hpp"
#include "store/event_views.hpp"
#include "json/value.hpp"

namespace sagabox::api {

class Forms;

/// Whether an event, or a dead letter, is still a relay's to work on.
[[nodiscard]] bool is_open(core::EventStatus status);
[[nodiscard]] bool is_open(core::LetterStatus status);

/// What comes next for an event, as `decide` answers, and when: `{"action", "description", "at"}`,
/// with destination, method, URL and attempt for a call. `null` once nothing comes any more.
/// `at` is the moment from which on it may happen; `null` while a worker is at it.
[[nodiscard]] json::Value next_action(const core::Plan& plan, const Forms& forms,
                                      const store::EventDetail& detail);

} // namespace sagabox::api
