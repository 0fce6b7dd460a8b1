#pragma once

#include "base/scope.hpp"
#include "base/task.hpp"
#include "core/decide.hpp"
#include "engine/db_clock.hpp"
#include "engine/gate.hpp"
#include "engine/lease_keeper.hpp"
#include "engine/mailer.hpp"
#include "engine/plan_source.hpp"
#include "engine/watcher.hpp"
#include "store/claims.hpp"
#include "store/journal.hpp"
#include "store/lease.hpp"
#include "transport/http_client.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sagabox::engine {

/// Carries sagas out: asks `core::decide` what comes next, does it, writes it down, and asks again.
///
/// Decides nothing itself. Retry, resume, takeover, compensation and cancel all pass through
/// `carry`; they differ only in the results that the saga brings.
class Carrier {
public:
    struct Parts {
        PlanSource& plans;
        store::Claims& claims;
        store::Session& session; ///< the sagas' own, for the rare statements besides the journal's
        store::Journal& journal;
        transport::HttpClient& http;
        Mailer& mailer;
        Gate& gate;
        LeaseKeeper& leases;
        DbClock& clock;
        Watcher& watcher;
    };

    /// What a settled saga means for what may be claimed next.
    struct Ended {
        std::string aggregate_id;
        bool frees_aggregate = false;         ///< the aggregate's next event may be taken
        bool left_letter = false;             ///< a dead letter waits for compensation
        bool letter = false;                  ///< it is one itself
        std::chrono::microseconds due_in{-1}; ///< it is due again after this; negative: no
    };
    using WhenEnded = std::function<void(const Ended&)>;

    Carrier(Executor executor, Parts parts, WhenEnded when_ended);

    /// Works on a saga until its claim ends. Returns without a word to the database only when the
    /// lease was lost.
    Task<void> carry(store::Held held, Instant claimed_at);

    /// No new calls: sagas are handed back at their next step boundary.
    void drain()
    {
        draining_ = true;
        parts_.mailer.drain();
        parts_.gate.drain();
    }

    /// Cuts the calls under way: each is written down as unknown, and goes on later under its key.
    void abandon_calls() { calls_.cancel(); }

    [[nodiscard]] Task<bool> join_calls(Deadline deadline) { return calls_.join(deadline); }

private:
    struct Run; ///< one saga under way
    struct CallState;
    struct CallEnd;

    Task<bool> call_out(Run& run, core::Action action);
    Task<void> make_call(Run& run, core::Call call);
    Task<bool> call_within_share(Run& run, core::Call call);
    Task<std::optional<bool>> held_back(Run& run, Gate::Answer& answer);
    Task<bool> call_within_limits(Run& run, core::Call call, core::Limits limits);
    Task<bool> send_mail(Run& run, core::SendMail send);
    Task<core::MailAnswer> deliver_or_cut(Mailer::Ready ready,
                                          std::shared_ptr<const core::MailPlan> plan,
                                          std::string provider);
    Task<void> deliver(Mailer::Ready ready, std::shared_ptr<const core::MailPlan> plan,
                       std::string provider, CallEnd end);
    Task<void> fetch(transport::HttpRequest request, CallEnd end);
    Task<bool> write_rows(Run& run);
    Task<bool> settle(Run& run, core::Action last);
    class Turn;
    Task<void> cancel_waiting(Run& run, std::vector<EventId> events);
    Task<bool> try_to_cancel(Run& run, const std::vector<EventId>& events);
    Task<bool> wait_until_fresh(Run& run);
    void narrate_step(Run& run, const core::Action& next);
    [[nodiscard]] store::Entry entry_for(const Run& run) const;

    Parts parts_;
    WhenEnded when_ended_;
    Scope calls_;
    bool session_taken_ = false; ///< a connection carries one statement at a time
    Signal session_free_;
    bool draining_ = false;
};

} // namespace sagabox::engine
