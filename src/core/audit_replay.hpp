#pragma once

#include "core/audit_rules.hpp"
#include "core/decide.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sagabox::core::audit {

/// Where `decide` would have done something else than what a row tells of.
struct Disagreement {
    const Rule& rule;
    std::string what;
};

/// Asks `decide`, row by row, what it would have done next.
///
/// What was forgiven and which workers were lost at the time is known only for the last time. So
/// each row is held against every past that fits what is stored, the least remarkable first.
class Replay {
public:
    Replay(const Plan& plan, const Terms& terms, const EventFacts& facts);

    /// Nothing where one of the possible pasts leads to this row.
    [[nodiscard]] std::optional<Disagreement> disagreement(const StepResult& row);

    /// The row is part of the past from now on.
    void remember(const StepResult& row);

private:
    [[nodiscard]] Action next(const StepResult& row, ResultId forgiven_up_to, int deaths);

    const Plan& plan_;
    const Terms& terms_;
    const EventFacts& facts_;
    ResultId bound_;
    ResultId mark_; ///< up to here results are taken to have been forgiven
    History past_;
};

} // namespace sagabox::core::audit
