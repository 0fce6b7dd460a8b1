#pragma once

#include "base/clock.hpp"
#include "base/task.hpp"
#include "store/claims.hpp"
#include "store/session.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>

namespace sagabox::engine {

/// What a saga knows of its own lease while it is carried out.
struct LeaseState {
    /// When the claim or the last renewal that succeeded was asked for, not when it was answered: a
    /// slow round trip shortens our trust in it.
    Instant granted_at;
    bool lost = false; ///< somebody else holds it, or will
};

/// Renews the leases of a worker's sagas, on a connection of its own, so that a heartbeat never
/// waits behind work.
class LeaseKeeper {
public:
    LeaseKeeper(store::Session& session, const store::Claims& claims,
                std::chrono::milliseconds duration);

    /// Keeps a lease until its state is no longer held by anyone else.
    [[nodiscard]] std::shared_ptr<LeaseState> keep(const store::Lease& lease, Instant claimed_at);
    void release(const store::Lease& lease);

    /// Renews what is older than a third of the lease, for as long as it is not cancelled.
    Task<void> run();

    /// Whether a call may start under this lease: the database will let nobody else have it for a
    /// while yet.
    [[nodiscard]] bool fresh(const LeaseState& state) const;

    [[nodiscard]] std::size_t size() const { return kept_.size(); }

private:
    store::Session& session_;
    const store::Claims& claims_;
    std::chrono::milliseconds duration_;
    std::map<store::Lease, std::shared_ptr<LeaseState>> kept_;
};

} // namespace sagabox::engine
