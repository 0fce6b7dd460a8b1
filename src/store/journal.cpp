#include "store/journal.hpp"

#include "base/failpoint.hpp"
#include "base/log.hpp"
#include "store/flush.hpp"
#include "store/weight.hpp"

#include <algorithm>
#include <utility>

namespace sagabox::store {

namespace {

constexpr std::chrono::seconds flush_timeout{30};
constexpr std::chrono::milliseconds pause_after_fault{50};
constexpr std::chrono::milliseconds shortest_aside{200};
constexpr int longest_aside = 7; ///< doublings of it
constexpr std::size_t bytes_per_flush = std::size_t{16} << 20;
constexpr int tries_of_an_outcome = 3;

std::vector<const Entry*> entries_of(const auto& batch)
{
    std::vector<const Entry*> entries;
    entries.reserve(batch.size());
    for (const auto& waiting : batch) {
        entries.push_back(&waiting->entry);
    }
    return entries;
}

std::vector<pg::Query> outcomes_of(const std::vector<pg::Rows>& first, void* flush)
{
    return static_cast<Flush*>(flush)->outcomes(first);
}

/// A server that is there and says no to a statement that may do better next time. Where the user's
/// own SQL is among the statements, that may be its fault, and then is so for ever: a lock that is
/// never given back, `raise … using errcode`, a foreign server that is away.
bool may_be_an_outcomes_fault(const Fault& fault)
{
    const std::string& code = fault.code();
    const bool sessions_own = code == "26000" || code == "42P05" || code == "0A000";
    return !code.empty() && !fault.outcome_unknown() && fault.kind() != Fault::Kind::read_only &&
           !code.starts_with("57P") && !sessions_own;
}

bool is_hang(const Fault& fault)
{
    return fault.kind() == Fault::Kind::timeout || fault.code() == "55P03";
}

/// What a row keeps of itself when PostgreSQL will not take its documents: everything else.
void give_up_documents(Entry& entry, const std::string& why)
{
    for (core::StepResult& row : entry.rows) {
        json::Object note;
        note.set("raw", "");
        note.set("notStored", json::to_storable_text(why));
        row.request = json::Value(json::Object{});
        if (row.response) {
            row.response = json::Value(std::move(note));
        }
    }
}

} // namespace

Journal::Journal(Session& session, std::string owner, WhenFlushed when_flushed,
                 std::size_t entries_per_flush)
    : session_(session), owner_(std::move(owner)), when_flushed_(std::move(when_flushed)),
      entries_per_flush_(entries_per_flush)
{
}

Task<Written> Journal::write(Entry entry)
{
    const auto waiting = std::make_shared<Waiting>();
    waiting->entry = std::move(entry);
    queue_.push_back(waiting);
    arrived_.set();
    const Deadline forever{Instant::max()};
    co_await waiting->done.wait(forever);
    co_return waiting->written;
}

Task<void> Journal::run()
{
    for (;;) {
        const Deadline until = next_set_aside();
        co_await arrived_.wait(until);
        Batch batch = take_batch();
        if (!batch.empty()) {
            co_await write_batch(std::move(batch));
        }
    }
}

Deadline Journal::next_set_aside() const
{
    Deadline next{Instant::max()};
    for (const std::shared_ptr<Waiting>& waiting : set_aside_) {
        next.at = std::min(next.at, waiting->not_before);
    }
    return next;
}

Journal::Batch Journal::take_batch()
{
    Batch batch;
    const Instant now = std::chrono::steady_clock::now();
    const auto due = std::find_if(set_aside_.begin(), set_aside_.end(), [now](const auto& waiting) {
        return waiting->not_before <= now;
    });
    if (due != set_aside_.end()) {
        batch.push_back(std::move(*due));
        set_aside_.erase(due);
        return batch;
    }
    std::size_t bytes = 0;
    while (!queue_.empty() && batch.size() < entries_per_flush_ && bytes < bytes_per_flush) {
        bytes += weight(queue_.front()->entry);
        batch.push_back(std::move(queue_.front()));
        queue_.pop_front();
    }
    if (queue_.empty()) {
        arrived_.clear();
    }
    return batch;
}

void Journal::finish(Waiting& waiting, Written written)
{
    waiting.written = std::move(written);
    waiting.done.set();
}

void Journal::refuse(Waiting& waiting, const std::string& why)
{
    Written refused;
    refused.state = Written::State::refused;
    refused.refusal = why;
    finish(waiting, std::move(refused));
}

Task<void> Journal::write_batch(Batch batch)
{
    Doubt doubt;
    for (;;) {
        const bool over = co_await try_batch(batch, doubt);
        if (over) {
            co_return;
        }
        const Instant again = std::chrono::steady_clock::now() + pause_after_fault;
        co_await sleep_until(again);
    }
}

/// Something in a batch is at fault. What has no SQL of the user's goes together, as long as that
/// goes well, and the rest one by one, so that only the entry at fault is kept back.
Task<void> Journal::write_apart(Batch batch)
{
    const auto middle = std::stable_partition(batch.begin(), batch.end(), [](const auto& waiting) {
        return waiting->entry.outcome_sql.empty();
    });
    if (middle != batch.begin() && middle != batch.end()) {
        Batch together(batch.begin(), middle);
        batch.erase(batch.begin(), middle);
        co_await write_batch(std::move(together));
    }
    bool hung = false;
    for (const std::shared_ptr<Waiting>& waiting : batch) {
        if (hung) {
            // They may well hang on the same lock; all others have waited long enough.
            refuse(*waiting, "not tried: an outcome statement just before it hung");
            continue;
        }
        Batch alone{waiting};
        co_await write_batch(std::move(alone));
        hung = waiting->hung;
    }
}

Task<bool> Journal::try_batch(Batch& batch, Doubt& doubt)
{
    if (doubt.unconfirmed) {
        const bool known = co_await drop_confirmed(batch);
        if (!known) {
            co_return false;
        }
        doubt.unconfirmed = false;
    }
    if (batch.empty()) {
        co_return true;
    }
    if (doubt.apart && batch.size() > 1) {
        co_await write_apart(std::move(batch));
        co_return true;
    }
    pg::Connection* const connection = co_await session_.get();
    Flush flush(owner_, entries_of(batch));
    const bool has_outcomes = std::any_of(batch.begin(), batch.end(), [](const auto& waiting) {
        return !waiting->entry.outcome_sql.empty();
    });
    const Instant started = std::chrono::steady_clock::now();
    const Deadline deadline = Deadline::after(flush_timeout);
    std::vector<pg::Query> queries = flush.first();
    // Written as statements: g++ 12 miscompiles `co_await` in a conditional expression.
    Result<std::vector<pg::Rows>> rows = std::vector<pg::Rows>{};
    if (has_outcomes) {
        rows = co_await connection->transact(std::move(queries), &outcomes_of, &flush, deadline);
    } else {
        rows = co_await connection->transact(std::move(queries), deadline);
    }
    if (rows) {
        failpoint::pass("after_commit");
        std::vector<Written> written = flush.read(*rows);
        Flushed flushed;
        flushed.time = std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now() - started);
        flushed.entries = batch.size();
        for (std::size_t i = 0; i < batch.size(); ++i) {
            flushed.rows += batch[i]->entry.rows.size();
            finish(*batch[i], std::move(written[i]));
        }
        if (when_flushed_) {
            when_flushed_(flushed);
        }
        co_return true;
    }

    const Fault& fault = rows.error();
    if (fault.retryable() && !(has_outcomes && may_be_an_outcomes_fault(fault))) {
        log::warning("journal", "{} results wait to be written: {}", batch.size(), fault.text());
        doubt.unconfirmed = fault.outcome_unknown();
        doubt.apart = has_outcomes && fault.kind() == Fault::Kind::timeout;
        co_return false;
    }
    if (batch.size() > 1) {
        co_await write_apart(std::move(batch));
        co_return true;
    }
    co_return settle_refusal(batch.front(), fault);
}

/// PostgreSQL refused an entry that was alone. True when that entry is off our hands for now.
bool Journal::settle_refusal(std::shared_ptr<Waiting> alone, const Fault& fault)
{
    ++alone->refusals;
    if (!alone->entry.outcome_sql.empty()) {
        alone->hung = is_hang(fault);
        if (fault.retryable() && !alone->hung && alone->refusals < tries_of_an_outcome) {
            return false;
        }
        refuse(*alone, fault.text());
        return true;
    }
    if (alone->refusals == 1) {
        log::error("journal",
                   "event {}: PostgreSQL refused a result ({}); it is stored without its documents",
                   alone->entry.event.value, fault.text());
        give_up_documents(alone->entry, fault.text());
        return false;
    }
    const auto pause = shortest_aside * (1 << std::min(alone->refusals, longest_aside));
    log::error("journal",
               "event {}: PostgreSQL refuses a change of it, and is asked again in {} ms: {}",
               alone->entry.event.value, pause.count(), fault.text());
    alone->not_before = std::chrono::steady_clock::now() + pause;
    set_aside_.push_back(std::move(alone));
    return true;
}

Task<bool> Journal::drop_confirmed(Batch& batch)
{
    pg::Connection* const connection = co_await session_.get();
    const Reconciliation reconciliation(owner_, entries_of(batch));
    const Deadline deadline = Deadline::after(flush_timeout);
    std::vector<pg::Query> queries = reconciliation.queries();
    const Result<std::vector<pg::Rows>> rows =
        co_await connection->transact(std::move(queries), deadline);
    if (!rows) {
        log::warning("journal", "whether {} results were written is not known yet: {}",
                     batch.size(), rows.error().text());
        co_return false;
    }
    const std::vector<bool> there = reconciliation.read(*rows);
    Batch left;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        if (there[i]) {
            finish(*batch[i], Written{});
        } else {
            left.push_back(std::move(batch[i]));
        }
    }
    batch = std::move(left);
    co_return true;
}

} // namespace sagabox::store
