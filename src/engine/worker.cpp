#include "engine/worker.hpp"

#include "base/failpoint.hpp"
#include "base/log.hpp"
#include "store/history.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include <asio/post.hpp>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

namespace sagabox::engine {

namespace {

constexpr std::chrono::seconds statement_deadline{30};
constexpr std::chrono::milliseconds pause_after_fault{100};
constexpr std::chrono::milliseconds first_due_look{0};
constexpr int least_rows = 50; ///< a narrower window would save nothing
constexpr int widest = 4;
constexpr int sweep_rows = 2'000;
constexpr int sweep_windows = 10;
constexpr std::chrono::hours nothing_due{24};
constexpr std::chrono::seconds reconnect_allowance{2}; ///< the longest pause between two tries
constexpr std::chrono::milliseconds shutdown_look{50};
constexpr std::chrono::milliseconds beat_interval{500};
constexpr std::chrono::seconds claim_patience{5}; ///< a claim that takes longer counts as failed
constexpr std::chrono::seconds last_patience{3};  ///< after the grace, to write down what was cut

pg::Options session_options(const pg::Options& given)
{
    pg::Options options = given;
    for (auto& setting : store::planner_settings()) {
        options.settings.push_back(std::move(setting));
    }
    return options;
}

transport::HttpClient::Options http_options(const Options& given)
{
    // A saga has one call under way. With room for fewer, the connections of a full worker would be
    // closed between two steps and opened again.
    transport::HttpClient::Options options;
    options.idle_connections =
        std::max(options.idle_connections, static_cast<std::size_t>(given.max_in_flight));
    options.network = given.network;
    return options;
}

transport::SmtpClient::Options smtp_options(const Options& given)
{
    transport::SmtpClient::Options options;
    options.network = given.network;
    return options;
}

/// Names the worker in the rows that it leases. Random, since a host name or a process id may come
/// back.
std::string new_owner(int number)
{
    std::random_device random;
    char host[64] = "host";
    static_cast<void>(::gethostname(host, sizeof host - 1));
    return fmt::format("{}/{}/{}/{:08x}{:08x}", host, ::getpid(), number, random(), random());
}

} // namespace

Worker::Worker(int number, const Options& options, std::shared_ptr<const core::Plan> plan,
               Watcher& watcher, Crowd& crowd, Report report)
    : number_(number), options_(options), plans_(std::move(plan)), watcher_(watcher),
      report_(std::move(report)),
      claim_session_(context_.get_executor(), session_options(options.database),
                     fmt::format("worker {} claims", number)),
      journal_session_(context_.get_executor(), session_options(options.database),
                       fmt::format("worker {} journal", number)),
      lease_session_(context_.get_executor(), session_options(options.database),
                     fmt::format("worker {} leases", number)),
      saga_session_(context_.get_executor(), session_options(options.database),
                    fmt::format("worker {} sagas", number)),
      claims_(new_owner(number), options.lease_duration, options.order),
      journal_(journal_session_, claims_.owner(),
               [this](const store::Journal::Flushed& flush) { watcher_.flushed(flush); }),
      http_(context_.get_executor(), http_options(options)),
      mailer_(context_.get_executor(), session_options(options.database),
              fmt::format("worker {} mail", number), http_, smtp_options(options), clock_,
              options.mail.value_or(MailOptions{}).memory),
      gate_(context_.get_executor(), session_options(options.database),
            fmt::format("worker {} gate", number), crowd, clock_,
            std::max(1, options.max_in_flight * options.workers / 2)),
      leases_(lease_session_, claims_, options.lease_duration),
      carrier_(context_.get_executor(),
               Carrier::Parts{plans_, claims_, saga_session_, journal_, http_, mailer_, gate_,
                              leases_, clock_, watcher},
               [this](const Carrier::Ended& e) { ended(e); }),
      loops_(context_.get_executor(), "worker"), claiming_(context_.get_executor(), "claims"),
      sagas_(context_.get_executor(), "sagas"), next_poll_(std::chrono::steady_clock::now()),
      next_letter_poll_(next_poll_), next_full_sweep_(next_poll_),
      next_due_(next_poll_ + first_due_look)
{
}

Worker::~Worker()
{
    join();
}

void Worker::start()
{
    loops_.start(main_loop());
    alive_at_ = std::chrono::steady_clock::now();
    thread_ = std::thread([this] {
        // What a person sees in top, and a test looks for.
        static_cast<void>(
            ::pthread_setname_np(::pthread_self(), fmt::format("worker {}", number_).c_str()));
        context_.run();
        alive_at_ = Instant::max();
    });
}

std::chrono::milliseconds Worker::standstill(Instant now) const
{
    const Instant alive_at = alive_at_;
    return now <= alive_at ? std::chrono::milliseconds{0}
                           : std::chrono::duration_cast<std::chrono::milliseconds>(now - alive_at);
}

Task<void> Worker::beat()
{
    for (;;) {
        const Instant now = std::chrono::steady_clock::now();
        alive_at_ = now;
        co_await sleep_until(now + beat_interval);
    }
}

void Worker::join()
{
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Worker::reload(std::shared_ptr<const core::Plan> plan)
{
    asio::post(context_, [this, plan = std::move(plan)] { plans_.replace(plan); });
}

void Worker::wake()
{
    asio::post(context_, [this] {
        look_for_new_ = true;
        armed_ = false;
        wake_.set();
    });
}

void Worker::wake_letters()
{
    asio::post(context_, [this] {
        look_for_letters_ = true;
        wake_.set();
    });
}

void Worker::armed()
{
    asio::post(context_, [this] {
        look_from_floor_ = look_from_floor_ || !armed_;
        armed_ = true;
        wake_.set();
    });
}

void Worker::drain()
{
    asio::post(context_, [this] {
        draining_ = true;
        carrier_.drain();
        drained_.set();
        wake_.set();
    });
}

void Worker::abandon()
{
    asio::post(context_, [this] {
        carrier_.abandon_calls();
        patience_ends_at_ = std::chrono::steady_clock::now() + last_patience;
    });
}

int Worker::room() const
{
    return options_.max_in_flight - in_flight_;
}

void Worker::due_at(Instant at)
{
    next_due_ = std::min(next_due_, at);
    wake_.set();
}

void Worker::ended(const Carrier::Ended& ended)
{
    if (ended.frees_aggregate) {
        freed_.insert(ended.aggregate_id);
    }
    look_for_letters_ = look_for_letters_ || ended.left_letter;
    if (ended.due_in.count() >= 0) {
        const Instant at = std::chrono::steady_clock::now() + ended.due_in;
        if (ended.letter) {
            next_letter_poll_ = std::min(next_letter_poll_, at);
        } else {
            due_at(at);
        }
    }
    wake_.set();
}

Task<void> Worker::main_loop()
{
    Scope service(context_.get_executor(), "worker services");
    service.start(journal_.run());
    service.start(leases_.run());
    service.start(beat());
    claiming_.start(claim_until_drained());

    const Deadline forever{Instant::max()};
    co_await drained_.wait(forever);
    co_await end_of(claiming_);
    co_await end_of(sagas_);
    co_await carrier_.join_calls(forever);
    service.cancel();
    co_await service.join(forever);
    // An open connection watches its socket, and would keep the thread.
    claim_session_.close();
    journal_session_.close();
    lease_session_.close();
    saga_session_.close();
    mailer_.close();
    co_await gate_.close();
}

/// Waits until a scope's tasks have ended; when all patience is over, because the database can't be
/// reached for instance, ends them: their leases expire, and what was not written down is done
/// again under its key.
Task<void> Worker::end_of(Scope& scope)
{
    for (;;) {
        const Deadline soon = Deadline::after(shutdown_look);
        const bool over = co_await scope.join(soon);
        if (over) {
            co_return;
        }
        if (std::chrono::steady_clock::now() >= patience_ends_at_) {
            log::error(
                "worker",
                "stopped with {} sagas under way whose state could not be written down; they "
                "go on under their idempotency keys when their leases have expired",
                in_flight_);
            carrier_.abandon_calls();
            scope.cancel();
            const Deadline forever{Instant::max()};
            co_await scope.join(forever);
            co_return;
        }
    }
}

Task<void> Worker::work_on(store::Held held, Instant asked_at)
{
    co_await carrier_.carry(std::move(held), asked_at);
    --in_flight_;
    wake_.set();
}

Task<void> Worker::claim_until_drained()
{
    while (!draining_) {
        const bool worked = co_await claim_some();
        if (!worked && !draining_) {
            co_await rest();
        }
    }
}

/// Takes what there is a reason to look for; false when there was none.
Task<bool> Worker::claim_some()
{
    const Instant now = std::chrono::steady_clock::now();
    if (room() <= 0) {
        co_return false;
    }
    bool worked = false;
    if (!freed_.empty()) {
        co_await claim_heads();
        worked = true;
    }
    if (room() > 0 && (look_for_letters_ || now >= next_letter_poll_)) {
        co_await claim_letters();
        worked = true;
    }
    if (room() > 0 && now >= next_due_) {
        co_await claim_due();
        worked = true;
    }
    if (room() > 0 && look_from_floor_) {
        look_from_floor_ = false;
        co_await look_before_sleep();
        worked = true;
    }
    if (room() > 0 && look_for_new_) {
        const int wanted = std::min(options_.batch_size, room());
        co_await scan(low_, std::max(width_ * wanted, least_rows));
        worked = true;
    }
    if (now >= next_poll_) {
        co_await sweep();
        worked = true;
    }
    co_return worked;
}

Task<void> Worker::rest()
{
    if (room() > 0 && !armed_) {
        report_(number_, Appetite::hungry);
    } else if (room() <= 0) {
        armed_ = false; // the listener counts on nobody who is full
        report_(number_, Appetite::full);
    }
    Instant until = std::min({next_poll_, next_letter_poll_, next_due_});
    if (room() <= 0) {
        until = std::chrono::steady_clock::now() + nothing_due; // a saga that ends wakes us
    }
    wake_.clear();
    const Deadline deadline{until};
    co_await wake_.wait(deadline);
    if (look_for_new_) {
        report_(number_, Appetite::awake);
    }
}

/// Since the listener has begun to hear every event, what came before it did so is looked for once
/// more, from the floor: it may have a smaller id than what we have seen.
Task<void> Worker::look_before_sleep()
{
    co_await scan(floor_.value(), sweep_rows);
}

Task<void> Worker::take(Result<store::Claimed> claimed, Instant asked_at)
{
    if (!claimed) {
        database_up_ = false;
        watcher_.claim_failed();
        log::warning("worker", "claiming failed and is tried again: {}", claimed.error().text());
        const Instant again = std::chrono::steady_clock::now() + pause_after_fault;
        co_await sleep_until(again);
        co_return;
    }
    database_up_ = true;
    if (!claimed->held.empty()) {
        failpoint::pass("after_claim");
        watcher_.claimed(claimed->held.size());
    }
    clock_.heard(claimed->now);
    bool loaded = claimed->held.empty();
    while (!loaded) {
        pg::Connection* const connection = co_await claim_session_.get();
        const Deadline deadline = Deadline::after(statement_deadline);
        const Result<void> read =
            co_await store::load_histories(*connection, claimed->held, deadline);
        loaded = read.has_value();
        if (!loaded) {
            log::warning("worker", "reading the results of {} sagas failed and is tried again: {}",
                         claimed->held.size(), read.error().text());
            const Instant again = std::chrono::steady_clock::now() + pause_after_fault;
            co_await sleep_until(again);
        }
    }
    owed_since_ = Instant::max();
    for (store::Held& held : claimed->held) {
        ++in_flight_;
        sagas_.start(work_on(std::move(held), asked_at));
    }
}

/// For a claim: until one has succeeded, the database owes it.
Task<pg::Connection*> Worker::claim_connection()
{
    if (owed_since_.load() == Instant::max()) {
        owed_since_ = std::chrono::steady_clock::now();
    }
    co_return co_await claim_session_.get();
}

bool Worker::database_up() const
{
    const Instant owed_since = owed_since_;
    return database_up_ && (owed_since == Instant::max() ||
                            std::chrono::steady_clock::now() - owed_since < claim_patience);
}

Task<void> Worker::claim_heads()
{
    std::vector<std::string> aggregates;
    while (!freed_.empty() && aggregates.size() < static_cast<std::size_t>(options_.batch_size)) {
        aggregates.push_back(std::move(freed_.extract(freed_.begin()).value()));
    }
    if (options_.order == store::Claims::Order::none) {
        co_return; // nobody waits for them
    }
    pg::Connection* const connection = co_await claim_connection();
    const Instant asked_at = std::chrono::steady_clock::now();
    const Deadline deadline = Deadline::after(statement_deadline);
    Result<store::Claimed> claimed =
        co_await claims_.heads(*connection, std::move(aggregates), deadline);
    co_await take(std::move(claimed), asked_at);
}

Task<void> Worker::claim_letters()
{
    look_for_letters_ = false;
    const int limit = std::min(options_.batch_size, room());
    pg::Connection* const connection = co_await claim_connection();
    const Instant asked_at = std::chrono::steady_clock::now();
    const Deadline deadline = Deadline::after(statement_deadline);
    const bool take_expired = may_take_expired(next_letter_poll_);
    // Before the wait, since a letter that is given back meanwhile may bring it forward.
    next_letter_poll_ = asked_at + options_.letter_poll_interval;
    Result<store::Claimed> claimed =
        co_await claims_.letters(*connection, limit, take_expired, deadline);
    look_for_letters_ =
        look_for_letters_ || (claimed && claimed->held.size() == static_cast<std::size_t>(limit));
    co_await take(std::move(claimed), asked_at);
}

Task<void> Worker::claim_due()
{
    const int limit = std::min(options_.batch_size, room());
    pg::Connection* connection = co_await claim_connection();
    const Instant asked_at = std::chrono::steady_clock::now();
    const Deadline deadline = Deadline::after(statement_deadline);
    Result<store::Claimed> claimed =
        co_await claims_.due(*connection, limit, options_.take_expired, deadline);
    const bool more = claimed && claimed->held.size() == static_cast<std::size_t>(limit);
    next_due_ = asked_at + nothing_due;
    co_await take(std::move(claimed), asked_at);
    if (more) {
        next_due_ = asked_at;
        co_return;
    }
    connection = co_await claim_session_.get();
    const Result<std::optional<std::chrono::microseconds>> next =
        co_await claims_.next_due(*connection, deadline);
    if (next && *next) {
        next_due_ = std::min(next_due_, std::chrono::steady_clock::now() + **next);
    }
}

Task<void> Worker::scan(std::int64_t above, int rows)
{
    const int limit = std::min(options_.batch_size, std::max(room(), 1));
    const bool forward = above == low_;
    look_for_new_ = forward ? false : look_for_new_;
    pg::Connection* const connection = co_await claim_connection();
    const Instant asked_at = std::chrono::steady_clock::now();
    const Deadline deadline = Deadline::after(statement_deadline);
    const store::Window window{above, rows, false};
    Result<store::Claimed> claimed = co_await claims_.ready(*connection, window, limit, deadline);
    if (claimed) {
        const bool more_to_take = claimed->candidates == limit;
        const std::int64_t reached = more_to_take ? claimed->last_candidate : claimed->highest;
        low_ = std::max(low_, reached);
        if (forward) {
            // Mostly every row that is looked at can be taken. Where few can, since a few
            // aggregates fill the queue or others were here first, more are looked at for each.
            width_ = more_to_take ? std::max(width_ / 2, 1)
                                  : (claimed->seen == rows ? std::min(width_ * 2, widest) : width_);
        }
        look_for_new_ = look_for_new_ || more_to_take || claimed->seen == rows;
    } else {
        look_for_new_ = true;
    }
    co_await take(std::move(claimed), asked_at);
}

/// Whether leases that have expired may be taken now, in a look that was planned for `planned`.
///
/// One that comes much later says that we, or the database, stood still. Leases ran out meanwhile
/// whose owners are well, ourselves for one, and who hold answers that only they can write down:
/// they get the time to come back.
bool Worker::may_take_expired(Instant planned)
{
    const Instant now = std::chrono::steady_clock::now();
    if (now > planned + options_.lease_duration / 3) {
        expired_from_ = now + options_.lease_duration / 2 + reconnect_allowance;
    }
    return options_.take_expired && now >= expired_from_;
}

/// The look that finds what the others miss: late commits with small ids, expired leases, events
/// that were blocked when they were seen. In bounded windows, the rest at the next poll.
Task<void> Worker::sweep()
{
    const Instant now = std::chrono::steady_clock::now();
    if (!sweep_) {
        sweep_.emplace();
        sweep_->full = now >= next_full_sweep_;
        sweep_->above = sweep_->full ? 0 : floor_.value();
    }
    Instant planned = next_poll_;
    bool complete = false;
    for (int i = 0; i < sweep_windows && !complete && room() > 0 && !draining_; ++i) {
        const int limit = std::min(options_.batch_size, room());
        pg::Connection* const connection = co_await claim_connection();
        const Instant asked_at = std::chrono::steady_clock::now();
        const Deadline deadline = Deadline::after(statement_deadline);
        const store::Window window{sweep_->above, sweep_rows, may_take_expired(planned)};
        Result<store::Claimed> claimed =
            co_await claims_.ready(*connection, window, limit, deadline);
        if (!claimed) {
            co_await take(std::move(claimed), asked_at);
            break;
        }
        if (!sweep_->begun) {
            floor_.sweep_begins(claimed->oldest_running, claimed->next_to_run);
            sweep_->lowest = claimed->lowest;
            sweep_->begun = true;
        }
        complete = claimed->seen < sweep_rows && claimed->candidates < limit;
        sweep_->above = claimed->candidates == limit ? claimed->last_candidate : claimed->highest;
        co_await take(std::move(claimed), asked_at);
        planned = std::chrono::steady_clock::now();
    }
    if (complete) {
        floor_.sweep_ends(sweep_->lowest == 0 ? low_ : sweep_->lowest);
        next_full_sweep_ = sweep_->full ? now + options_.cleanup_interval : next_full_sweep_;
        sweep_.reset();
    }
    next_poll_ = std::chrono::steady_clock::now() + options_.poll_interval;
    next_due_ = std::min(next_due_, next_poll_);
}

} // namespace sagabox::engine
