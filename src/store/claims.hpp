#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/task.hpp"
#include "pg/connection.hpp"
#include "store/lease.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sagabox::store {

/// What one claim took, and what it saw on its way.
struct Claimed {
    std::vector<Held> held;
    DbTime now; ///< PostgreSQL's clock at the claim

    // Of a scan by id:
    std::int64_t highest = 0;        ///< last id looked at; 0 when none was
    std::int64_t seen = 0;           ///< rows looked at
    std::int64_t candidates = 0;     ///< of these, free to be taken
    std::int64_t last_candidate = 0; ///< id of the last of them
    std::int64_t lowest = 0;         ///< first id looked at; 0 when none was
    std::int64_t oldest_running = 0; ///< oldest transaction that was still running
    std::int64_t next_to_run = 0;    ///< the first that had not begun
};

/// Where a scan looks.
struct Window {
    std::int64_t above = 0; ///< ids greater than this
    int rows = 300;         ///< as many as this
    bool take_expired = false;
};

/// What became of leases that were to be renewed.
struct Renewal {
    std::vector<Lease> renewed;
    std::vector<Lease> lost; ///< no longer ours; in neither list: locked by somebody just now
};

/// Takes events and letters for one worker. Each method is one transaction, which has committed
/// when it returns; what is taken is complete only after `load_histories`.
class Claims {
public:
    enum class Order : std::uint8_t { aggregate, none };

    Claims(std::string owner, std::chrono::milliseconds lease, Order order);

    /// Ready events by id.
    [[nodiscard]] Task<Result<Claimed>> ready(pg::Connection& connection, Window window, int limit,
                                              Deadline deadline) const;

    /// The first event of each aggregate whose work has just ended.
    [[nodiscard]] Task<Result<Claimed>>
    heads(pg::Connection& connection, std::vector<std::string> aggregates, Deadline deadline) const;

    /// Retries and delayed events whose time has come.
    [[nodiscard]] Task<Result<Claimed>> due(pg::Connection& connection, int limit,
                                            bool take_expired, Deadline deadline) const;

    /// Dead letters that are due.
    [[nodiscard]] Task<Result<Claimed>> letters(pg::Connection& connection, int limit,
                                                bool take_expired, Deadline deadline) const;

    /// Makes waiting events CANCELLED, each only if it is still waiting.
    [[nodiscard]] Task<Result<void>> cancel_waiting(pg::Connection& connection,
                                                    std::vector<EventId> events,
                                                    Deadline deadline) const;

    /// Lengthens leases that are still ours.
    [[nodiscard]] Task<Result<Renewal>> renew(pg::Connection& connection, std::vector<Lease> leases,
                                              Deadline deadline) const;

    /// How long until something falls due; nothing where nothing waits.
    [[nodiscard]] Task<Result<std::optional<std::chrono::microseconds>>>
    next_due(pg::Connection& connection, Deadline deadline) const;

    [[nodiscard]] const std::string& owner() const { return owner_; }

private:
    std::string owner_;
    std::chrono::milliseconds lease_;
    Order order_;
};

} // namespace sagabox::store
