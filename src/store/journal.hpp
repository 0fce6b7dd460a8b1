#pragma once

#include "base/scope.hpp"
#include "base/task.hpp"
#include "store/entry.hpp"
#include "store/session.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sagabox::store {

/// Writes results and changes of status by group commit: while one flush is under way, the next
/// gathers, so that an idle relay waits for nothing and a busy one writes hundreds of steps per
/// commit.
///
/// An entry is written exactly when `write` returns; until then it stays in memory, through any
/// loss of the connection, and is written once the database is back. A flush whose commit was not
/// confirmed is looked up before anything of it is written again. An outcome statement that fails
/// or hangs takes only its own entry with it; so does a row that PostgreSQL will not have.
class Journal {
public:
    /// One flush that was committed.
    struct Flushed {
        std::size_t entries = 0;
        std::size_t rows = 0;
        std::chrono::microseconds time{0}; ///< from sending it to the commit's confirmation
    };
    using WhenFlushed = std::function<void(const Flushed&)>;

    Journal(Session& session, std::string owner, WhenFlushed when_flushed = {},
            std::size_t entries_per_flush = 256);

    /// Hands an entry over and waits until it is written. Several tasks may wait at once.
    [[nodiscard]] Task<Written> write(Entry entry);

    /// Flushes for as long as it is not cancelled.
    Task<void> run();

    [[nodiscard]] std::size_t waiting() const { return queue_.size() + set_aside_.size(); }

private:
    struct Waiting {
        Entry entry;
        Written written;
        Signal done;
        int refusals = 0;   ///< by PostgreSQL, of this entry alone
        bool hung = false;  ///< its outcome statement had to be cut
        Instant not_before; ///< of an entry that was set aside
    };
    using Batch = std::vector<std::shared_ptr<Waiting>>;
    struct Doubt {
        bool unconfirmed = false; ///< the last try may have committed
        bool apart = false;       ///< it took too long: one of the outcome statements hangs
    };

    Batch take_batch();
    Task<void> write_batch(Batch batch);
    Task<void> write_apart(Batch batch);
    /// True when the batch is over; false when it must be tried again.
    Task<bool> try_batch(Batch& batch, Doubt& doubt);
    Task<bool> drop_confirmed(Batch& batch);
    bool settle_refusal(std::shared_ptr<Waiting> alone, const Fault& fault);
    [[nodiscard]] Deadline next_set_aside() const;
    static void refuse(Waiting& waiting, const std::string& why);
    static void finish(Waiting& waiting, Written written);

    Session& session_;
    std::string owner_;
    WhenFlushed when_flushed_;
    std::size_t entries_per_flush_;
    std::deque<std::shared_ptr<Waiting>> queue_;
    Batch set_aside_; ///< what PostgreSQL refused, to be tried again later, one by one
    Signal arrived_;
};

} // namespace sagabox::store
