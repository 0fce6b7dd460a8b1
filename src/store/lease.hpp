#pragma once

#include "core/saga.hpp"

#include <cstdint>

namespace sagabox::store {

/// A worker's right to one event or letter. It carries the number of its claim: whatever is written
/// under it is written only while that is still the row's own (fencing).
struct Lease {
    enum class On : std::uint8_t { event, letter };

    On on = On::event;
    std::int64_t id = 0;
    int claim_no = 0;

    friend auto operator<=>(const Lease&, const Lease&) = default;
};

/// A saga and the lease under which it may be worked on.
struct Held {
    core::Saga saga;
    Lease lease;

    /// Results up to this one were made before a person asked to try again.
    std::int64_t forgiven_up_to = 0;

    bool waited = false; ///< a letter, or an event that was due: retried, delayed or sent away
};

} // namespace sagabox::store
