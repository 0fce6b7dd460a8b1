#include "store/audit.hpp"

#include "base/invariant.hpp"
#include "store/reading.hpp"

#include <map>
#include <utility>

#include "sql.hpp"

namespace sagabox::store {

namespace {

using core::audit::EventFacts;
using core::audit::LeaseFacts;
using core::audit::LetterFacts;

LeaseFacts read_lease(const pg::Rows& rows, std::size_t row, std::size_t owned, std::size_t expires)
{
    LeaseFacts lease;
    lease.owned = rows.boolean(row, owned);
    if (!rows.is_null(row, expires)) {
        lease.expires_at = read_time(rows, row, expires);
    }
    return lease;
}

EventFacts read_facts(const pg::Rows& rows, std::size_t row)
{
    EventFacts facts;
    facts.event = read_event(rows, row);
    facts.moved_to_dlq = rows.boolean(row, 11);
    facts.forgiven_up_to = {rows.integer(row, 12)};
    facts.has_retry_time = rows.boolean(row, 13);
    facts.lease = read_lease(rows, row, 14, 15);
    facts.status_changed_at = read_time(rows, row, 16);
    facts.key_taken_twice = rows.boolean(row, 17);
    return facts;
}

LetterFacts read_letter(const pg::Rows& rows, std::size_t row)
{
    LetterFacts letter;
    letter.id = {rows.integer(row, 1)};
    const auto status = core::letter_status(rows.text(row, 2));
    const auto reason = core::letter_reason(rows.text(row, 3));
    SAGABOX_INVARIANT(status.has_value() && reason.has_value(), "the schema admits no others");
    letter.status = *status;
    letter.reason = *reason;
    letter.status_changed_at = read_time(rows, row, 4);
    letter.lease = read_lease(rows, row, 5, 6);
    letter.has_retry_time = rows.boolean(row, 7);
    letter.forgiven_up_to = {rows.integer(row, 8)};
    return letter;
}

std::vector<EventFacts> read_all(const pg::Rows& events, const pg::Rows& results,
                                 const pg::Rows& letters)
{
    std::vector<EventFacts> all;
    std::map<std::int64_t, std::size_t> places;
    for (std::size_t row = 0; row < events.size(); ++row) {
        places.emplace(events.integer(row, 0), all.size());
        all.push_back(read_facts(events, row));
    }
    for (std::size_t row = 0; row < results.size(); ++row) {
        const auto place = places.find(results.integer(row, 0));
        if (place == places.end()) {
            continue; // deleted between two snapshots
        }
        EventFacts& facts = all[place->second];
        facts.results.push_back(read_result(results, row));
        if (results.boolean(row, 19)) {
            facts.mislabelled.push_back(facts.results.back().id);
        }
    }
    for (std::size_t row = 0; row < letters.size(); ++row) {
        const auto place = places.find(letters.integer(row, 0));
        if (place != places.end()) {
            all[place->second].letters.push_back(read_letter(letters, row));
        }
    }
    return all;
}

} // namespace

Task<Result<AuditBatch>> read_audit_batch(pg::Connection& connection, EventId above, int rows,
                                          Deadline deadline)
{
    pg::Query window{sql::audit_window, {}};
    window.params.integer(above.value)
        .integer(rows)
        .integer(most_earlier_events)
        .integer(most_cancelled_events);
    const Result<pg::Rows> chosen = co_await connection.run(std::move(window), deadline);
    if (!chosen) {
        co_return fail(chosen.error());
    }
    AuditBatch batch;
    std::vector<std::int64_t> ids;
    for (std::size_t row = 0; row < chosen->size(); ++row) {
        ids.push_back(chosen->integer(row, 0));
        if (ids.back() > above.value) {
            batch.judged.push_back({ids.back()});
        }
    }
    if (ids.empty()) {
        co_return batch;
    }
    std::vector<pg::Query> reads(3);
    reads[0].statement = sql::audit_events;
    reads[1].statement = sql::audit_results;
    reads[2].statement = sql::audit_letters;
    for (pg::Query& read : reads) {
        read.params.integers(ids);
    }
    const Result<std::vector<pg::Rows>> found =
        co_await connection.transact(std::move(reads), deadline);
    if (!found) {
        co_return fail(found.error());
    }
    batch.events = read_all((*found)[0], (*found)[1], (*found)[2]);
    if (!(*found)[0].empty()) {
        batch.now = read_time((*found)[0], 0, 18);
    }
    co_return batch;
}

Task<Result<Strays>> find_strays(pg::Connection& connection, StrayKind kind, std::int64_t above,
                                 int rows, EventId since, Deadline deadline)
{
    const bool letters = kind == StrayKind::letters;
    pg::Query query{letters ? sql::audit_stray_letters : sql::audit_stray_results, {}};
    query.params.integer(above).integer(rows).integer(since.value);
    const Result<pg::Rows> answer = co_await connection.run(std::move(query), deadline);
    if (!answer) {
        co_return fail(answer.error());
    }
    Strays strays;
    strays.last = answer->integer(0, 2);
    strays.looked_at = answer->integer(0, 3);
    for (std::size_t row = 1; row < answer->size(); ++row) {
        const EventId event{answer->integer(row, 0)};
        std::string aggregate(answer->text(row, 1));
        strays.found.push_back(letters ? core::audit::letter_without_event(
                                             {answer->integer(row, 2)}, event, std::move(aggregate))
                                       : core::audit::result_without_event(
                                             event, std::move(aggregate), answer->integer(row, 3)));
    }
    co_return strays;
}

} // namespace sagabox::store
