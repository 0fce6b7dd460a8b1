#include "store/flush.hpp"

#include "core/outcome_sql.hpp"
#include "store/reading.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "sql.hpp"

namespace sagabox::store {

namespace {

using OptionalText = std::optional<std::string>;

std::string stored_destination(const core::StepResult& row)
{
    return row.direction == core::Direction::revert ? row.destination + ".revert" : row.destination;
}

OptionalText number(std::int64_t value)
{
    return std::to_string(value);
}

/// The columns of `insert_results`, one array each.
struct ResultColumns {
    std::vector<std::int64_t> event, cause;
    std::vector<std::string> aggregate, type, destination, outcome;
    std::vector<OptionalText> url, method, request, status, response, duration, error, order,
        attempt, route, run, retry_after, interrupted, letter, claim_no;

    void add(const Entry& entry, const core::StepResult& row)
    {
        event.push_back(row.event_id.value);
        aggregate.push_back(entry.aggregate_id);
        type.push_back(entry.row_type);
        destination.push_back(stored_destination(row));
        outcome.emplace_back(core::to_label(row.outcome));
        const bool called = row.outcome != core::Outcome::skipped;
        url.push_back(called ? OptionalText(json::to_storable_text(row.endpoint_url))
                             : std::nullopt);
        method.push_back(called ? OptionalText(row.http_method) : std::nullopt);
        request.push_back(json::write(row.request));
        status.push_back(row.response_status ? number(*row.response_status) : std::nullopt);
        response.push_back(row.response ? OptionalText(json::write(*row.response)) : std::nullopt);
        duration.push_back(called ? number(row.duration.count()) : std::nullopt);
        error.push_back(row.error.empty() ? std::nullopt
                                          : OptionalText(json::to_storable_text(row.error)));
        order.push_back(number(row.fanout_order));
        attempt.push_back(number(row.attempt));
        cause.push_back(row.cause.value);
        route.push_back(number(row.route));
        run.push_back(number(row.run));
        retry_after.push_back(row.retry_after ? number(row.retry_after->count()) : std::nullopt);
        interrupted.push_back(number(row.interrupted));
        letter.push_back(entry.lease.on == Lease::On::letter ? number(entry.lease.id)
                                                             : std::nullopt);
        claim_no.push_back(number(entry.lease.claim_no));
    }

    [[nodiscard]] pg::Params params(const std::string& owner) const
    {
        pg::Params out;
        out.text(owner)
            .integers(event)
            .texts(aggregate)
            .texts(type)
            .texts(destination)
            .texts(url)
            .texts(method)
            .texts(request)
            .texts(status)
            .texts(response)
            .texts(duration)
            .texts(outcome)
            .texts(error)
            .texts(order)
            .texts(attempt)
            .integers(cause)
            .texts(route)
            .texts(run)
            .texts(retry_after)
            .texts(interrupted)
            .texts(letter)
            .texts(claim_no);
        return out;
    }
};

/// A settlement's statement, by the kind of settlement and of what is held.
pg::Statement statement_for(const Settlement& settlement, Lease::On on)
{
    const bool letter = on == Lease::On::letter;
    struct Choose {
        bool letter;
        pg::Statement operator()(const Finished&) const
        {
            return letter ? sql::finish_letters : sql::finish_events;
        }
        pg::Statement operator()(const Deferred&) const
        {
            return letter ? sql::defer_letters : sql::defer_events;
        }
        pg::Statement operator()(const GivenUp&) const { return sql::give_up_events; }
        pg::Statement operator()(const Failed&) const
        {
            return letter ? sql::fail_letters : sql::fail_events;
        }
        pg::Statement operator()(const Stopped&) const { return sql::stop_events; }
        pg::Statement operator()(const Released&) const
        {
            return letter ? sql::release_letters : sql::release_events;
        }
    };
    return std::visit(Choose{letter}, settlement);
}

/// The columns that only some settlements have, after owner, ids and claim numbers.
void add_details(pg::Params& params, const std::vector<const Entry*>& group)
{
    std::vector<std::int64_t> delays, retries;
    std::vector<std::string> reasons, why;
    for (const Entry* entry : group) {
        if (const auto* deferred = std::get_if<Deferred>(&*entry->settlement)) {
            delays.push_back(deferred->delay.count());
            retries.push_back(deferred->retry_count);
            why.push_back(json::to_storable_text(deferred->why));
        } else if (const auto* given_up = std::get_if<GivenUp>(&*entry->settlement)) {
            reasons.emplace_back(core::to_label(given_up->reason));
            retries.push_back(given_up->retry_count);
            why.push_back(json::to_storable_text(given_up->why));
        } else if (const auto* failed = std::get_if<Failed>(&*entry->settlement)) {
            reasons.emplace_back(core::to_label(failed->reason));
            retries.push_back(failed->retry_count);
            why.push_back(json::to_storable_text(failed->why));
        }
    }
    const Settlement& kind = *group.front()->settlement;
    const bool letters = group.front()->lease.on == Lease::On::letter;
    if (std::holds_alternative<Deferred>(kind)) {
        params.integers(delays).integers(retries).texts(why);
    } else if (std::holds_alternative<Failed>(kind) && letters) {
        params.integers(retries).texts(why);
    } else if (std::holds_alternative<GivenUp>(kind) || std::holds_alternative<Failed>(kind)) {
        params.texts(reasons).texts(why).integers(retries);
    }
}

pg::Params leases(const std::string& owner, const std::vector<const Entry*>& group)
{
    std::vector<std::int64_t> ids, claims;
    for (const Entry* entry : group) {
        ids.push_back(entry->lease.id);
        claims.push_back(entry->lease.claim_no);
    }
    pg::Params params;
    params.text(owner).integers(ids).integers(claims);
    return params;
}

} // namespace

Flush::Flush(const std::string& owner, std::vector<const Entry*> entries)
    : owner_(owner), entries_(std::move(entries))
{
    pg::Query hold{sql::hold_journal, {}};
    hold.params.text(owner_);
    add({Part::ignored, {}}, std::move(hold));
    add_results();
    add_cleared_deaths();
    add_settlements();
    add_cancel_watch();
}

void Flush::add(Sent sent, pg::Query query)
{
    sent_.push_back(std::move(sent));
    queries_.push_back(std::move(query));
}

void Flush::add_results()
{
    ResultColumns columns;
    Sent sent{Part::results, {}};
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        for (const core::StepResult& row : entries_[i]->rows) {
            columns.add(*entries_[i], row);
        }
        if (!entries_[i]->rows.empty()) {
            sent.entries.push_back(i);
        }
    }
    if (!sent.entries.empty()) {
        add(std::move(sent), {sql::insert_results, columns.params(owner_)});
    }
}

void Flush::add_cleared_deaths()
{
    for (const Lease::On on : {Lease::On::event, Lease::On::letter}) {
        std::vector<const Entry*> group;
        for (const Entry* entry : entries_) {
            if (entry->had_deaths && !entry->rows.empty() && entry->lease.on == on) {
                group.push_back(entry);
            }
        }
        if (!group.empty()) {
            add({Part::ignored, {}},
                {on == Lease::On::event ? sql::clear_event_deaths : sql::clear_letter_deaths,
                 leases(owner_, group)});
        }
    }
}

void Flush::add_settlements()
{
    // Grouped by statement, so that the number of statements does not grow with the batch.
    std::map<std::string_view, std::pair<pg::Statement, std::vector<std::size_t>>> groups;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const Entry& entry = *entries_[i];
        if (!entry.settlement) {
            continue;
        }
        const auto* finished = std::get_if<Finished>(&*entry.settlement);
        if (finished != nullptr && !finished->undone.empty()) {
            add_cancel_finish(i, *finished);
            continue;
        }
        const pg::Statement statement = statement_for(*entry.settlement, entry.lease.on);
        auto& group = groups[statement.name];
        group.first = statement;
        group.second.push_back(i);
    }
    for (const auto& [name, group] : groups) {
        const bool gives_up =
            std::holds_alternative<GivenUp>(*entries_[group.second[0]]->settlement);
        add_settlement_group(group.first, group.second, gives_up ? Part::given_up : Part::settled);
    }
}

void Flush::add_settlement_group(pg::Statement statement, const std::vector<std::size_t>& group,
                                 Part part)
{
    std::vector<const Entry*> members;
    for (const std::size_t i : group) {
        members.push_back(entries_[i]);
    }
    pg::Query query{statement, leases(owner_, members)};
    add_details(query.params, members);
    add({part, group, members.front()->lease.on}, std::move(query));
}

void Flush::add_cancel_finish(std::size_t entry, const Finished& finished)
{
    std::vector<std::int64_t> undone;
    for (const EventId event : finished.undone) {
        undone.push_back(event.value);
    }
    pg::Query query{sql::finish_cancel, {}};
    query.params.text(owner_)
        .integer(entries_[entry]->lease.id)
        .integer(entries_[entry]->lease.claim_no)
        .integers(undone);
    add({Part::settled, {entry}}, std::move(query));
}

void Flush::add_cancel_watch()
{
    std::vector<std::int64_t> ids;
    std::vector<std::string> aggregates, types;
    Sent sent{Part::cancels, {}};
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const Entry& entry = *entries_[i];
        if (!entry.settlement && entry.lease.on == Lease::On::event &&
            !core::is_cancellation(entry.event_type)) {
            ids.push_back(entry.event.value);
            aggregates.push_back(entry.aggregate_id);
            types.push_back(entry.event_type);
            sent.entries.push_back(i);
        }
    }
    if (!ids.empty()) {
        pg::Query query{sql::find_cancels, {}};
        query.params.integers(ids).texts(aggregates).texts(types);
        add(std::move(sent), std::move(query));
    }
}

std::vector<bool> Flush::effective(const std::vector<pg::Rows>& rows) const
{
    std::vector<bool> ok(entries_.size(), true);
    for (std::size_t q = 0; q < sent_.size(); ++q) {
        const Sent& sent = sent_[q];
        if (sent.part == Part::settled || sent.part == Part::given_up) {
            std::vector<std::int64_t> touched;
            for (std::size_t row = 0; row < rows[q].size(); ++row) {
                touched.push_back(rows[q].integer(row, 0));
            }
            std::sort(touched.begin(), touched.end());
            for (const std::size_t i : sent.entries) {
                if (!std::binary_search(touched.begin(), touched.end(), entries_[i]->lease.id)) {
                    ok[i] = false;
                }
            }
        } else if (sent.part == Part::results) {
            std::size_t expected = 0;
            for (const std::size_t i : sent.entries) {
                expected += entries_[i]->rows.size();
            }
            if (rows[q].size() == expected) {
                continue;
            }
            std::vector<std::tuple<std::int64_t, std::int64_t, std::string>> stored;
            for (std::size_t row = 0; row < rows[q].size(); ++row) {
                stored.emplace_back(rows[q].integer(row, 1), rows[q].integer(row, 2),
                                    std::string(rows[q].text(row, 3)));
            }
            std::sort(stored.begin(), stored.end());
            for (const std::size_t i : sent.entries) {
                for (const core::StepResult& row : entries_[i]->rows) {
                    if (!std::binary_search(stored.begin(), stored.end(),
                                            std::tuple(row.event_id.value, row.cause.value,
                                                       stored_destination(row)))) {
                        ok[i] = false;
                    }
                }
            }
        }
    }
    return ok;
}

std::vector<pg::Query> Flush::outcomes(const std::vector<pg::Rows>& rows)
{
    std::vector<pg::Query> queries;
    const std::vector<bool> ok = effective(rows);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const Entry& entry = *entries_[i];
        if (!ok[i] || entry.outcome_sql.empty()) {
            continue;
        }
        const Result<core::BoundSql> bound = core::bind_names(entry.outcome_sql);
        if (!bound) {
            continue; // `check` refuses such a configuration
        }
        // Unnamed: a prepared statement would bind the user's SQL to the tables of its first run.
        const std::string& text = outcome_texts_.emplace_back(bound->text);
        pg::Query query{{"", text}, {}};
        for (const std::string& name : bound->names) {
            if (name == "aggregate_id") {
                query.params.text(entry.aggregate_id);
            } else if (name == "event_id") {
                query.params.integer(entry.event.value);
            } else if (name == "event_type") {
                query.params.text(entry.event_type);
            } else {
                query.params.text(entry.outcome_reason);
            }
        }
        if (queries.empty()) {
            queries.push_back({sql::limit_waiting, {}});
        }
        queries.push_back(std::move(query));
    }
    return queries;
}

std::vector<Written> Flush::read(const std::vector<pg::Rows>& rows) const
{
    std::vector<Written> written(entries_.size());
    const std::vector<bool> ok = effective(rows);
    DbTime now;
    for (std::size_t q = 0; q < sent_.size(); ++q) {
        const Sent& sent = sent_[q];
        if (sent.part == Part::results && !rows[q].empty()) {
            now = read_time(rows[q], 0, 4);
        }
        if (sent.part == Part::cancels) {
            for (std::size_t row = 0; row < rows[q].size(); ++row) {
                for (const std::size_t i : sent.entries) {
                    if (entries_[i]->event.value == rows[q].integer(row, 0)) {
                        written[i].cancel_waiting = true;
                    }
                }
            }
        }
    }
    for (std::size_t i = 0; i < written.size(); ++i) {
        written[i].state = ok[i] ? Written::State::written : Written::State::lease_lost;
        written[i].now = now;
    }
    return written;
}

Reconciliation::Reconciliation(const std::string& owner, std::vector<const Entry*> entries)
    : owner_(owner), entries_(std::move(entries))
{
}

std::vector<pg::Query> Reconciliation::queries() const
{
    std::vector<std::int64_t> events, runs, causes, attempts;
    std::vector<std::string> destinations;
    std::vector<std::int64_t> event_ids, event_claims, letter_ids, letter_claims;
    for (const Entry* entry : entries_) {
        for (const core::StepResult& row : entry->rows) {
            events.push_back(row.event_id.value);
            destinations.push_back(stored_destination(row));
            runs.push_back(row.run);
            causes.push_back(row.cause.value);
            attempts.push_back(row.attempt);
        }
        if (entry->settlement) {
            const bool event = entry->lease.on == Lease::On::event;
            (event ? event_ids : letter_ids).push_back(entry->lease.id);
            (event ? event_claims : letter_claims).push_back(entry->lease.claim_no);
        }
    }
    std::vector<pg::Query> out(4);
    out[0].statement = sql::limit_waiting;
    out[1].statement = sql::hold_journal;
    out[1].params.text(owner_);
    out[2].statement = sql::find_stored;
    out[2]
        .params.integers(events)
        .texts(destinations)
        .integers(runs)
        .integers(causes)
        .integers(attempts);
    out[3].statement = sql::check_settled;
    out[3]
        .params.integers(event_ids)
        .integers(event_claims)
        .integers(letter_ids)
        .integers(letter_claims);
    return out;
}

std::vector<bool> Reconciliation::read(const std::vector<pg::Rows>& rows) const
{
    std::set<std::tuple<std::int64_t, std::int64_t, std::string>> stored;
    for (std::size_t row = 0; row < rows[2].size(); ++row) {
        stored.emplace(rows[2].integer(row, 0), rows[2].integer(row, 1),
                       std::string(rows[2].text(row, 2)));
    }
    std::set<std::pair<bool, std::int64_t>> settled;
    for (std::size_t row = 0; row < rows[3].size(); ++row) {
        settled.emplace(rows[3].text(row, 0) == "event", rows[3].integer(row, 1));
    }
    std::vector<bool> there;
    for (const Entry* entry : entries_) {
        bool all = true;
        for (const core::StepResult& row : entry->rows) {
            all = all && stored.contains(std::tuple(row.event_id.value, row.cause.value,
                                                    stored_destination(row)));
        }
        if (entry->settlement) {
            all = all && settled.contains({entry->lease.on == Lease::On::event, entry->lease.id});
        }
        there.push_back(all);
    }
    return there;
}

} // namespace sagabox::store
