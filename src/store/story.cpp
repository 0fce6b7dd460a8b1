#include "store/story.hpp"

#include "base/invariant.hpp"
#include "store/reading.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "sql.hpp"

namespace sagabox::store {

namespace {

constexpr std::int64_t most_events = 1'000;

std::optional<LetterStory> read_letter(const pg::Rows& rows, std::size_t row)
{
    if (rows.is_null(row, 13)) {
        return std::nullopt;
    }
    LetterStory letter;
    letter.id = {rows.integer(row, 13)};
    const auto status = core::letter_status(rows.text(row, 14));
    const auto reason = core::letter_reason(rows.text(row, 15));
    SAGABOX_INVARIANT(status.has_value() && reason.has_value(), "the schema admits no other label");
    letter.status = *status;
    letter.reason = *reason;
    letter.last_error = rows.text(row, 16);
    letter.retry_count = static_cast<int>(rows.integer(row, 17));
    letter.revert_error = rows.text(row, 18);
    letter.revert_retry_count = static_cast<int>(rows.integer(row, 19));
    return letter;
}

Story read_events(const pg::Rows& rows)
{
    Story story;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        EventStory one;
        one.event = read_event(rows, row);
        one.last_error = rows.text(row, 11);
        one.moved_to_dlq = rows.boolean(row, 12);
        one.letter = read_letter(rows, row);
        story.push_back(std::move(one));
    }
    return story;
}

bool is_open(core::EventStatus status)
{
    return status == core::EventStatus::PENDING || status == core::EventStatus::PROCESSING;
}

bool is_open(core::LetterStatus status)
{
    return status == core::LetterStatus::PENDING || status == core::LetterStatus::PROCESSING;
}

} // namespace

Task<Result<Story>> read_story(pg::Connection& connection, std::string aggregate_id,
                               Deadline deadline)
{
    pg::Query events{sql::load_story, {}};
    events.params.text(aggregate_id).integer(most_events);
    const Result<pg::Rows> found = co_await connection.run(std::move(events), deadline);
    if (!found) {
        co_return fail(found.error());
    }
    Story story = read_events(*found);
    if (story.empty()) {
        co_return story;
    }
    std::vector<std::int64_t> ids;
    std::map<EventId, std::size_t> places;
    for (std::size_t place = 0; place < story.size(); ++place) {
        ids.push_back(story[place].event.id.value);
        places.emplace(story[place].event.id, place);
    }
    pg::Query results{sql::load_results, {}};
    results.params.integers(ids);
    const Result<pg::Rows> rows = co_await connection.run(std::move(results), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    for (std::size_t row = 0; row < rows->size(); ++row) {
        core::StepResult result = read_result(*rows, row);
        story[places.at(result.event_id)].results.push_back(std::move(result));
    }
    co_return story;
}

bool has_ended(const Story& story)
{
    return std::none_of(story.begin(), story.end(), [](const EventStory& one) {
        return is_open(one.event.status) || (one.letter && is_open(one.letter->status));
    });
}

} // namespace sagabox::store
