#include "store/changes.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "sql.hpp"

namespace sagabox::store {

namespace {

constexpr std::int64_t rows_of_a_look = 1'000;
constexpr std::size_t most_open = 2'000;

using Marks = std::map<std::int64_t, std::string>;

std::vector<std::int64_t> ids_of(const Marks& marks)
{
    std::vector<std::int64_t> ids;
    for (const auto& [id, mark] : marks) {
        ids.push_back(id);
    }
    return ids;
}

/// Remembers the state of one that is open, forgets one that has ended; whether it changed.
bool note(Marks& marks, std::int64_t id, std::string_view mark, bool open)
{
    const auto known = marks.find(id);
    const bool changed = known == marks.end() || known->second != mark;
    if (!open) {
        marks.erase(id);
    } else {
        marks[id] = mark;
        if (marks.size() > most_open) {
            marks.erase(marks.begin());
        }
    }
    return changed;
}

} // namespace

Task<Result<void>> Changes::begin(pg::Connection& connection, Deadline deadline)
{
    std::vector<pg::Query> queries(2);
    queries[0].statement = sql::find_last_ids;
    queries[1].statement = sql::find_open_ids;
    queries[1].params.integer(rows_of_a_look);
    const Result<std::vector<pg::Rows>> rows =
        co_await connection.transact(std::move(queries), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    last_event_ = (*rows)[0].integer(0, 0);
    last_result_ = (*rows)[0].integer(0, 1);
    last_letter_ = (*rows)[0].integer(0, 2);
    for (std::size_t row = 0; row < (*rows)[1].size(); ++row) {
        const bool of_letter = (*rows)[1].text(row, 0) == "letter";
        (of_letter ? open_letters_ : open_events_)[(*rows)[1].integer(row, 1)];
    }
    co_return Result<void>{};
}

Task<Result<Changed>> Changes::look(pg::Connection& connection, Deadline deadline)
{
    const bool first = !begun_;
    if (first) {
        const Result<void> began = co_await begin(connection, deadline);
        if (!began) {
            co_return fail(began.error());
        }
        begun_ = true;
    }
    const std::vector<std::int64_t> events = ids_of(open_events_);
    const std::vector<std::int64_t> letters = ids_of(open_letters_);
    pg::Query query{sql::find_changes, {}};
    query.params.integer(last_event_)
        .integer(last_result_)
        .integer(last_letter_)
        .integers(events)
        .integers(letters)
        .integer(rows_of_a_look);
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    Changed changed;
    for (std::size_t row = 0; row < rows->size(); ++row) {
        const std::string_view kind = rows->text(row, 0);
        const std::int64_t id = rows->integer(row, 1);
        const std::int64_t seen = rows->integer(row, 2);
        if (kind == "event") {
            last_event_ = std::max(last_event_, seen);
        } else if (kind == "result") {
            last_result_ = std::max(last_result_, seen);
            changed.events.insert(id);
        } else if (kind == "letter") {
            last_letter_ = std::max(last_letter_, seen);
        }
        const bool of_letter = kind.ends_with("letter");
        if (note(of_letter ? open_letters_ : open_events_, id, rows->text(row, 3),
                 rows->boolean(row, 4))) {
            (of_letter ? changed.letters : changed.events).insert(id);
        }
        if (changed.events.contains(id) && !of_letter && !rows->is_null(row, 5)) {
            changed.emails.insert(rows->integer(row, 5));
        }
    }
    if (first) {
        // This look only told in which state all that is open began.
        co_return Changed{};
    }
    co_return changed;
}

} // namespace sagabox::store
