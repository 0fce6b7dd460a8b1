#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace sagabox::engine {

/// The id from which a look for missed events starts, so that it does not walk over the dead index
/// entries of everything that was done before.
///
/// An id below the floor may still commit late, so a floor is adopted only when every transaction
/// that was running when it was measured has ended, and a whole sweep has looked below it since.
class Floor {
public:
    [[nodiscard]] std::int64_t value() const { return value_; }

    /// A sweep begins, with this view of the transactions.
    void sweep_begins(std::int64_t oldest_running, std::int64_t next_to_run)
    {
        proven_ = measured_ && oldest_running >= measured_until_ ? measured_ : std::nullopt;
        measuring_until_ = next_to_run;
    }

    /// It ended; `lowest` is the smallest id that it saw, or the highest known where it saw none.
    void sweep_ends(std::int64_t lowest)
    {
        const std::int64_t below = std::max<std::int64_t>(lowest - 1, 0);
        if (proven_) {
            value_ = std::max(value_, std::min(*proven_, below));
        }
        measured_ = below;
        measured_until_ = measuring_until_;
    }

private:
    std::int64_t value_ = 0;
    std::optional<std::int64_t> measured_;
    std::int64_t measured_until_ = 0;
    std::optional<std::int64_t> proven_;
    std::int64_t measuring_until_ = 0;
};

} // namespace sagabox::engine
