#pragma once

#include "engine/carrier.hpp"
#include "engine/floor.hpp"
#include "engine/options.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <asio/io_context.hpp>

namespace sagabox::engine {

/// What a worker is up to, as the listener needs to know it.
enum class Appetite : std::uint8_t {
    awake,  ///< it looks for work by itself
    hungry, ///< it found nothing, and wants to be woken
    full,   ///< it has all it can carry
};

/// One thread with connections, HTTP client and sagas of its own. Workers share nothing; they meet
/// in PostgreSQL.
class Worker {
public:
    using Report = std::function<void(int worker, Appetite)>;

    Worker(int number, const Options& options, std::shared_ptr<const core::Plan> plan,
           Watcher& watcher, Crowd& crowd, Report report);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void start();

    // From any thread:
    void reload(std::shared_ptr<const core::Plan> plan); ///< in force from the next decision on
    void wake();                                         ///< something may be ready
    void wake_letters();                                 ///< a dead letter may be ready
    void armed();   ///< from now on every event that arrives wakes somebody
    void drain();   ///< no new claims, no new calls
    void abandon(); ///< cut the calls that are left
    void join();    ///< waits for the thread, which ends once it is drained and idle

    /// Whether the last claim succeeded, and none has been waited for since for long.
    [[nodiscard]] bool database_up() const;

    /// How long its thread has done nothing at all, not even looked at the clock. Zero before it
    /// has started and after it has ended.
    [[nodiscard]] std::chrono::milliseconds standstill(Instant now) const;

private:
    Task<void> main_loop();
    Task<void> beat();
    Task<void> end_of(Scope& scope);
    Task<void> work_on(store::Held held, Instant asked_at);
    Task<void> claim_until_drained();
    Task<bool> claim_some();
    [[nodiscard]] Task<pg::Connection*> claim_connection();
    Task<void> claim_heads();
    Task<void> claim_letters();
    Task<void> claim_due();
    Task<void> scan(std::int64_t above, int rows);
    Task<void> sweep();
    Task<void> look_before_sleep();
    Task<void> take(Result<store::Claimed> claimed, Instant asked_at);
    Task<void> rest();
    void ended(const Carrier::Ended& ended);
    [[nodiscard]] int room() const;
    [[nodiscard]] bool may_take_expired(Instant planned);
    void due_at(Instant at);

    int number_;
    Options options_;
    PlanSource plans_;
    Watcher& watcher_;
    Report report_;
    asio::io_context context_{1};

    store::Session claim_session_;
    store::Session journal_session_;
    store::Session lease_session_;
    store::Session saga_session_;
    store::Claims claims_;
    store::Journal journal_;
    transport::HttpClient http_;
    DbClock clock_;
    Mailer mailer_;
    Gate gate_;
    LeaseKeeper leases_;
    Carrier carrier_;
    Scope loops_;
    Scope claiming_;
    Scope sagas_;
    int in_flight_ = 0; ///< sagas under way

    Signal wake_;
    Signal drained_;                            ///< set when draining begins
    Instant patience_ends_at_ = Instant::max(); ///< after this, what is left is left
    bool draining_ = false;
    bool armed_ = false;       ///< the listener hears every new event
    bool look_for_new_ = true; ///< ids above `low_` have not all been looked at
    bool look_for_letters_ = true;
    bool look_from_floor_ = false; ///< it has begun to hear just now
    std::set<std::string> freed_;  ///< aggregates whose work has ended
    int width_ = 1;                ///< rows to look at for each event to be taken
    std::int64_t low_ = 0;         ///< every id up to here was looked at once
    Floor floor_;
    struct Sweep {
        bool full = false;       ///< from the first id on, not from the floor
        std::int64_t above = 0;  ///< what is left to look at
        std::int64_t lowest = 0; ///< first id that it looked at
        bool begun = false;
    };
    std::optional<Sweep> sweep_; ///< one that a poll has left unfinished
    Instant expired_from_;       ///< no expired leases are taken before this
    Instant next_poll_;
    Instant next_letter_poll_;
    Instant next_full_sweep_;
    Instant next_due_;

    std::atomic<bool> database_up_{false};
    std::atomic<Instant> owed_since_{Instant::max()}; ///< max: no claim is being made
    std::atomic<Instant> alive_at_{Instant::max()};   ///< max: it does not run
    std::thread thread_;
};

} // namespace sagabox::engine
