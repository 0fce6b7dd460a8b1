#pragma once

#include "testing/postgres.hpp"
#include "tests/torture/producers.hpp"
#include "tests/torture/services.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sagabox::torture {

/// What came of a run, by what the services saw, what the producers committed and what is stored.
struct Verdict {
    int sagas = 0;
    int completed = 0;
    int compensated = 0;
    int cancelled = 0;
    int left_to_a_person = 0;
    int poisoned = 0;
    int effects = 0;
    int undone = 0;
    int repeated = 0;   ///< arrivals of a key beyond its first
    int unrecorded = 0; ///< of them, those that no row tells of: their worker was lost
    int lost = 0;
    std::vector<std::string> faults;
};

/// Judges by a model of its own, which shares nothing with the relay but the contract. All must be
/// quiet.
[[nodiscard]] Verdict judge(testing::Sql& sql, const Services::Account& outside,
                            const Producers::Book& book, std::uint64_t seed);

} // namespace sagabox::torture
