#include "store/journal.hpp"

#include "base/log.hpp"
#include "store/flush.hpp"

#include <algorithm>
#include <utility>

namespace sagabox::store {

namespace {

constexpr std::chrono::seconds flush_timeout{30};
constexpr std::chrono::milliseconds pause_after_fault{50};

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

Journal::Journal(Session& session, std::string owner, std::size_t entries_per_flush)
    : session_(session), owner_(std::move(owner)), entries_per_flush_(entries_per_flush)
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
    const Deadline forever{Instant::max()};
    for (;;) {
        co_await arrived_.wait(forever);
        Batch batch = take_batch();
        co_await write_batch(std::move(batch));
    }
}

Journal::Batch Journal::take_batch()
{
    Batch batch;
    while (!queue_.empty() && batch.size() < entries_per_flush_) {
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

Task<void> Journal::write_batch(Batch batch)
{
    bool unconfirmed = false;
    for (;;) {
        const bool over = co_await try_batch(batch, unconfirmed);
        if (over) {
            co_return;
        }
        const Instant again = std::chrono::steady_clock::now() + pause_after_fault;
        co_await sleep_until(again);
    }
}

Task<bool> Journal::try_batch(Batch& batch, bool& unconfirmed)
{
    if (unconfirmed) {
        const bool known = co_await drop_confirmed(batch);
        if (!known) {
            co_return false;
        }
        unconfirmed = false;
    }
    if (batch.empty()) {
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
        std::vector<Written> written = flush.read(*rows);
        counters_.time += std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now() - started);
        ++counters_.flushes;
        counters_.entries += batch.size();
        for (std::size_t i = 0; i < batch.size(); ++i) {
            counters_.rows += batch[i]->entry.rows.size();
            finish(*batch[i], std::move(written[i]));
        }
        co_return true;
    }

    const Fault& fault = rows.error();
    if (fault.retryable()) {
        log::warning("journal", "{} results wait to be written: {}", batch.size(), fault.text());
        unconfirmed = fault.outcome_unknown();
        co_return false;
    }
    // PostgreSQL refused something. Entry by entry, only the one at fault is kept back.
    if (batch.size() > 1) {
        for (std::shared_ptr<Waiting>& waiting : batch) {
            Batch alone{std::move(waiting)};
            co_await write_batch(std::move(alone));
        }
        co_return true;
    }
    Waiting& alone = *batch.front();
    if (!alone.entry.outcome_sql.empty()) {
        Written refused;
        refused.state = Written::State::refused;
        refused.refusal = fault.text();
        finish(alone, std::move(refused));
        co_return true;
    }
    log::error("journal",
               "event {}: PostgreSQL refused a result ({}); it is stored without its documents",
               alone.entry.event.value, fault.text());
    give_up_documents(alone.entry, fault.text());
    co_return false;
}

Task<bool> Journal::drop_confirmed(Batch& batch)
{
    pg::Connection* const connection = co_await session_.get();
    const Reconciliation reconciliation(entries_of(batch));
    const Deadline deadline = Deadline::after(flush_timeout);
    std::vector<pg::Query> queries = reconciliation.queries();
    const Result<std::vector<pg::Rows>> rows =
        co_await connection->transact(std::move(queries), deadline);
    if (!rows) {
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
