#pragma once

#include "core/forward.hpp"

namespace sagabox::core {

/// What comes next for a step that sends mail (contract section 7).
[[nodiscard]] Action decide_mail(const Plan& plan, const History& history, const OpenStep& step,
                                 const Forward& errand, DbTime now);

} // namespace sagabox::core
