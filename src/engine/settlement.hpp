#pragma once

#include "core/decide.hpp"
#include "core/plan.hpp"
#include "store/entry.hpp"

#include <optional>
#include <string>

namespace sagabox::engine {

/// The settlement that an action asks for; nothing where the saga goes on.
[[nodiscard]] std::optional<store::Settlement> settlement_for(const core::Action& action,
                                                              const core::Saga& saga, DbTime now);

/// The SQL that the plan wants run with this end of this saga (contract 5.11); empty: none.
[[nodiscard]] std::string outcome_sql_for(const core::Action& action, const core::Saga& saga,
                                          const core::Plan& plan);

} // namespace sagabox::engine
