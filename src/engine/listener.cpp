#include "engine/listener.hpp"

#include "base/log.hpp"
#include "store/bell.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <asio/post.hpp>

namespace sagabox::engine {

namespace {

constexpr std::chrono::seconds statement_deadline{5};
/// How long the silence may last before the connection is asked whether it still lives.
constexpr std::chrono::seconds silence{10};
/// How soon the sleeper's lock is asked for again after somebody else kept it from us.
constexpr std::chrono::milliseconds turn{500};
constexpr std::chrono::milliseconds pause_after_fault{200};
/// How long a bell may take that we have rung ourselves.
constexpr std::chrono::seconds echo{3};
/// How soon somebody who heard nothing listens again.
constexpr std::chrono::minutes pause_when_deaf{5};

pg::Options listen_options(const Options& options)
{
    pg::Options out = options.database;
    if (options.listen_url) {
        out.url = *options.listen_url;
    }
    // Notifications are not delivered while a statement waits for a lock.
    out.settings.emplace_back("lock_timeout", "50ms");
    return out;
}

} // namespace

struct Listener::Heard {
    std::optional<Result<store::bell::Ring>> ring; ///< none: the wait was cut short
};

Listener::Listener(const Options& options, int workers, Calls calls)
    : ringer_(options.database),
      session_(context_.get_executor(), listen_options(options), "listener"),
      calls_(std::move(calls)), loops_(context_.get_executor(), "listener"),
      ears_(context_.get_executor(), "listener's wait"),
      closing_(context_.get_executor(), "listener's end"),
      appetites_(static_cast<std::size_t>(workers), Appetite::awake)
{
}

Listener::~Listener()
{
    stop();
}

void Listener::start()
{
    loops_.start(run());
    thread_ = std::thread([this] { context_.run(); });
}

void Listener::stop()
{
    if (thread_.joinable()) {
        asio::post(context_, [this] { closing_.start(close()); });
        thread_.join();
    }
}

Task<void> Listener::close()
{
    const Deadline forever{Instant::max()};
    loops_.cancel();
    co_await loops_.join(forever);
    ears_.cancel();
    co_await ears_.join(forever);
    // An open connection is still watched for notifications, and the thread would wait for one.
    session_.close();
}

void Listener::report(int worker, Appetite appetite)
{
    asio::post(context_, [this, worker, appetite] {
        appetites_[static_cast<std::size_t>(worker)] = appetite;
        changed_.set();
    });
}

bool Listener::all_rest() const
{
    const bool anybody_awake =
        std::find(appetites_.begin(), appetites_.end(), Appetite::awake) != appetites_.end();
    const bool anybody_hungry =
        std::find(appetites_.begin(), appetites_.end(), Appetite::hungry) != appetites_.end();
    return anybody_hungry && !anybody_awake;
}

void Listener::wake_somebody()
{
    for (std::size_t i = 0; i < appetites_.size(); ++i) {
        const std::size_t worker = (next_ + i) % appetites_.size();
        if (appetites_[worker] == Appetite::hungry) {
            appetites_[worker] = Appetite::awake;
            next_ = worker + 1;
            calls_.wake(static_cast<int>(worker));
            return;
        }
    }
}

void Listener::wake_everybody()
{
    for (std::size_t worker = 0; worker < appetites_.size(); ++worker) {
        appetites_[worker] = Appetite::awake;
        calls_.wake(static_cast<int>(worker));
    }
}

Task<void> Listener::run()
{
    for (;;) {
        pg::Connection* const connection = co_await session_.get();
        const Result<void> served = co_await serve(*connection);
        listening_ = false;
        locked_ = false;
        calls_.lost();
        log::warning("listener", "LISTEN was lost, polling until it is back: {}",
                     served.error().text());
        session_.close();
        const Instant again = std::chrono::steady_clock::now() + pause_after_fault;
        co_await sleep_until(again);
    }
}

/// Whether what is rung on another session is heard on this one.
Task<Result<bool>> Listener::hears(pg::Connection& connection)
{
    const Deadline soon = Deadline::after(statement_deadline);
    const Result<std::unique_ptr<pg::Connection>> other =
        co_await pg::Connection::open(context_.get_executor(), ringer_, soon);
    if (!other) {
        co_return fail(other.error());
    }
    const Result<void> rung = co_await store::bell::ring(**other, soon);
    if (!rung) {
        co_return fail(rung.error());
    }
    const Deadline heard_by = Deadline::after(echo);
    const Result<store::bell::Ring> heard = co_await store::bell::wait(connection, heard_by);
    if (!heard) {
        co_return fail(heard.error());
    }
    co_return *heard != store::bell::Ring::silence;
}

Task<Result<void>> Listener::serve(pg::Connection& connection)
{
    const Deadline soon = Deadline::after(statement_deadline);
    const Result<void> listened = co_await store::bell::listen(connection, soon);
    if (!listened) {
        co_return fail(listened.error());
    }
    const Result<bool> hearing = co_await hears(connection);
    if (!hearing) {
        co_return fail(hearing.error());
    }
    if (!*hearing) {
        session_.close();
        log::warning("listener",
                     "LISTEN hears nothing, as behind a pooler that gives each transaction another "
                     "session: events are found by polling. Give database.listenUrl a direct "
                     "address of the server");
        const Instant again = std::chrono::steady_clock::now() + pause_when_deaf;
        co_await sleep_until(again);
        co_return fail(Fault::Kind::connection, "it is tried again whether LISTEN hears");
    }
    listening_ = true;
    calls_.began();
    log::debug("listener", "listening on {}", connection.where());
    // Whatever was committed before LISTEN took effect rang for nobody.
    wake_everybody();

    Instant heard_at = std::chrono::steady_clock::now();
    const Deadline forever{Instant::max()};
    for (;;) {
        changed_.clear();
        Result<void> placed;
        if (all_rest()) {
            placed = co_await arm(connection);
        } else {
            placed = co_await disarm(connection);
        }
        if (!placed) {
            co_return fail(placed.error());
        }
        const auto heard = std::make_shared<Heard>();
        const Deadline deadline = Deadline::after(locked_ || !all_rest() ? silence : turn);
        ears_.start(hear(connection, heard, deadline));
        co_await changed_.wait(forever);
        ears_.cancel();
        co_await ears_.join(forever);

        const Instant now = std::chrono::steady_clock::now();
        if (!heard->ring) {
            continue; // a worker's appetite changed first
        }
        if (!*heard->ring) {
            co_return fail(heard->ring->error());
        }
        if (**heard->ring == store::bell::Ring::letters) {
            heard_at = now;
            calls_.wake_letters(0);
        } else if (**heard->ring == store::bell::Ring::events) {
            heard_at = now;
            wake_somebody();
        } else if (now - heard_at > silence) {
            heard_at = now;
            const Deadline answer_by = Deadline::after(statement_deadline);
            const Result<void> alive = co_await store::bell::listen(connection, answer_by);
            if (!alive) {
                co_return fail(alive.error());
            }
        }
    }
}

Task<void> Listener::hear(pg::Connection& connection, std::shared_ptr<Heard> heard,
                          Deadline deadline)
{
    struct TellAtTheEnd {
        Signal& signal;
        ~TellAtTheEnd() { signal.set(); }
    };
    const TellAtTheEnd tell{changed_};
    heard->ring = co_await store::bell::wait(connection, deadline);
}

Task<Result<void>> Listener::arm(pg::Connection& connection)
{
    if (!locked_) {
        const Deadline deadline = Deadline::after(statement_deadline);
        const Result<bool> locked = co_await store::bell::lock(connection, deadline);
        if (!locked) {
            co_return fail(locked.error());
        }
        locked_ = *locked;
    }
    if (!locked_) {
        // A producer's transaction that began before us would not ring: nobody may rely on it.
        co_return Result<void>{};
    }
    for (std::size_t worker = 0; worker < appetites_.size(); ++worker) {
        if (appetites_[worker] == Appetite::hungry) {
            calls_.armed(static_cast<int>(worker));
        }
    }
    co_return Result<void>{};
}

Task<Result<void>> Listener::disarm(pg::Connection& connection)
{
    if (locked_) {
        locked_ = false;
        const Deadline deadline = Deadline::after(statement_deadline);
        co_return co_await store::bell::unlock(connection, deadline);
    }
    co_return Result<void>{};
}

} // namespace sagabox::engine
