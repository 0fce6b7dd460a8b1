#include "store/event_actions.hpp"

#include <utility>

#include "sql.hpp"

namespace sagabox::store {

namespace {

Task<Result<std::optional<ChangedLetter>>> change_letter(pg::Connection& connection,
                                                         pg::Query query, Deadline deadline)
{
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    if (rows->empty()) {
        co_return std::optional<ChangedLetter>{};
    }
    ChangedLetter changed;
    changed.id = {rows->integer(0, 0)};
    changed.event = {rows->integer(0, 1)};
    changed.status = rows->text(0, 2);
    co_return std::optional(std::move(changed));
}

void optional_text(pg::Query& query, const std::string& text)
{
    text.empty() ? query.params.null() : query.params.text(text);
}

} // namespace

Task<Result<Retried>> retry_event(pg::Connection& connection, EventId event, std::string by,
                                  Deadline deadline)
{
    Retried retried;
    pg::Query resume{sql::resume_event, {}};
    resume.params.integer(event.value);
    const Result<pg::Rows> resumed = co_await connection.run(std::move(resume), deadline);
    if (!resumed) {
        co_return fail(resumed.error());
    }
    if (!resumed->empty()) {
        retried.how = Retried::How::due_now;
        retried.run = static_cast<int>(resumed->integer(0, 1));
        co_return retried;
    }

    pg::Query rerun{sql::rerun_event, {}};
    rerun.params.integer(event.value).text("The event was run again.");
    optional_text(rerun, by);
    const Result<pg::Rows> rerunning = co_await connection.run(std::move(rerun), deadline);
    if (!rerunning) {
        co_return fail(rerunning.error());
    }
    if (!rerunning->empty()) {
        retried.how = Retried::How::run_again;
        retried.run = static_cast<int>(rerunning->integer(0, 1));
        co_return retried;
    }

    pg::Query give_back{sql::retry_letter_of_event, {}};
    give_back.params.integer(event.value);
    const Result<std::optional<ChangedLetter>> letter =
        co_await change_letter(connection, std::move(give_back), deadline);
    if (!letter) {
        co_return fail(letter.error());
    }
    pg::Query look{sql::get_event, {}};
    look.params.integer(event.value);
    const Result<pg::Rows> found = co_await connection.run(std::move(look), deadline);
    if (!found) {
        co_return fail(found.error());
    }
    if (found->empty()) {
        retried.how = Retried::How::unknown;
    } else if (*letter) {
        retried.how = found->text(0, 3) == "FAILED" ? Retried::How::covered : Retried::How::undoing;
    }
    co_return retried;
}

Task<Result<std::optional<ChangedLetter>>> retry_letter(pg::Connection& connection, LetterId letter,
                                                        Deadline deadline)
{
    pg::Query query{sql::retry_letter, {}};
    query.params.integer(letter.value);
    co_return co_await change_letter(connection, std::move(query), deadline);
}

Task<Result<std::optional<ChangedLetter>>>
resolve_letter(pg::Connection& connection, LetterId letter, Closing closing, Deadline deadline)
{
    pg::Query query{sql::resolve_letter, {}};
    query.params.integer(letter.value).text(closing.note);
    optional_text(query, closing.by);
    co_return co_await change_letter(connection, std::move(query), deadline);
}

} // namespace sagabox::store
