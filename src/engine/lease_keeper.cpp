#include "engine/lease_keeper.hpp"

#include "base/log.hpp"
#include "base/scope.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace sagabox::engine {

namespace {

/// Leases renewed by one statement: `array_position` makes it quadratic.
constexpr std::size_t batch = 200;

} // namespace

LeaseKeeper::LeaseKeeper(store::Session& session, const store::Claims& claims,
                         std::chrono::milliseconds duration)
    : session_(session), claims_(claims), duration_(duration)
{
}

std::shared_ptr<LeaseState> LeaseKeeper::keep(const store::Lease& lease, Instant claimed_at)
{
    auto state = std::make_shared<LeaseState>(LeaseState{claimed_at, false});
    kept_[lease] = state;
    return state;
}

void LeaseKeeper::release(const store::Lease& lease)
{
    kept_.erase(lease);
}

bool LeaseKeeper::fresh(const LeaseState& state) const
{
    return !state.lost &&
           std::chrono::steady_clock::now() < state.granted_at + duration_ - duration_ / 5;
}

Task<void> LeaseKeeper::run()
{
    const auto pause = duration_ / 6;
    for (;;) {
        const Instant next = std::chrono::steady_clock::now() + pause;
        co_await sleep_until(next);

        std::vector<store::Lease> old;
        const Instant asked_at = std::chrono::steady_clock::now();
        for (const auto& [lease, state] : kept_) {
            if (!state->lost && asked_at >= state->granted_at + duration_ / 3) {
                old.push_back(lease);
            }
        }
        for (std::size_t from = 0; from < old.size(); from += batch) {
            const auto begin = old.begin() + static_cast<std::ptrdiff_t>(from);
            const auto end =
                old.begin() + static_cast<std::ptrdiff_t>(std::min(from + batch, old.size()));
            std::vector<store::Lease> some(begin, end);
            pg::Connection* const connection = co_await session_.get();
            const Deadline deadline = Deadline::after(duration_ / 3);
            const Result<store::Renewal> renewal =
                co_await claims_.renew(*connection, some, deadline);
            if (!renewal) {
                log::warning("lease", "{} leases could not be renewed: {}", some.size(),
                             renewal.error().text());
                break;
            }
            // What is no longer kept was settled meanwhile.
            for (const store::Lease& lease : renewal->lost) {
                if (const auto kept = kept_.find(lease); kept != kept_.end()) {
                    kept->second->lost = true;
                }
            }
            for (const store::Lease& lease : renewal->renewed) {
                if (const auto kept = kept_.find(lease); kept != kept_.end()) {
                    kept->second->granted_at = asked_at;
                }
            }
        }
    }
}

} // namespace sagabox::engine
