#pragma once

#include "tests/sim/database.hpp"
#include "tests/sim/plans.hpp"
#include "tests/sim/trace.hpp"

#include <cstdint>

namespace sagabox::sim {

struct Tally {
    int sagas = 0;
    int completed = 0;
    int compensated = 0;
    int cancelled = 0;
    int needing_a_person = 0;
    int lost_workers = 0;
    int calls = 0;
};

/// One little shop with a few aggregates, a few workers, and a bad day, all of it thrown from
/// `seed`. Throws `Broken` where an invariant does not hold. The same seed does the same again,
/// step by step.
Tally run_scenario(PlanPool& plans, std::uint64_t seed, Trace& trace, Fencing fencing);

} // namespace sagabox::sim
