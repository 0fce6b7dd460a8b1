#pragma once

#include "core/call.hpp"
#include "core/decide.hpp"
#include "core/saga.hpp"

#include <optional>

namespace sagabox::simulate {

/// An answer that the route's own rules read as `outcome`; nothing where they read none so: a route
/// that takes every 4xx for a success is never rejected.
[[nodiscard]] std::optional<core::Answer> answer_read_as(core::Outcome outcome,
                                                         const core::Call& call);

/// The row that a provider's try becomes, with an answer of that outcome.
[[nodiscard]] core::StepResult mail_row(const core::Plan& plan, const core::SendMail& send,
                                        core::Outcome outcome, DbTime now);

} // namespace sagabox::simulate
