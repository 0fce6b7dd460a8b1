#include "store/mail_views.hpp"

#include "core/mail.hpp"
#include "store/mail_reading.hpp"
#include "store/reading.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sql.hpp"

namespace sagabox::store {

namespace {

constexpr int longest_page = 500;

/// The columns that `get_mail` and the lists share.
MailView read_view(const pg::Rows& rows, std::size_t row)
{
    MailView mail;
    mail.id = rows.integer(row, 0);
    mail.event = {rows.integer(row, 1)};
    mail.status = rows.text(row, 2);
    mail.attempts = static_cast<int>(rows.integer(row, 3));
    mail.provider = rows.text(row, 4);
    mail.last_error = rows.text(row, 5);
    mail.next_try_at = read_moment(rows, row, 6);
    mail.ended_at = read_moment(rows, row, 7);
    mail.received_at = read_time(rows, row, 8);
    mail.message_id = rows.text(row, 9);
    mail.correlation_id = rows.text(row, 10);
    mail.document_type = rows.text(row, 11);
    mail.idempotency_key = rows.text(row, 12);
    mail.to = read_texts(rows, row, 13);
    mail.cc = read_texts(rows, row, 14);
    mail.bcc = read_texts(rows, row, 15);
    mail.reply_to = rows.text(row, 16);
    mail.subject = rows.text(row, 17);
    return mail;
}

void add_text_or_any(pg::Params& params, const std::string& text)
{
    if (text.empty()) {
        params.null();
    } else {
        params.text(text);
    }
}

/// The statement whose index names the fewest messages.
pg::Query query_for(const MailFilter& filter)
{
    pg::Query query;
    if (!filter.correlation_id.empty()) {
        query.statement = sql::list_mail_of_correlation;
    } else if (!filter.recipient.empty()) {
        query.statement = sql::list_mail_to;
    } else if (!filter.document_type.empty()) {
        query.statement = sql::list_mail_of_type;
    } else {
        query.statement = sql::list_mail;
    }
    std::vector<std::string> statuses(mail_statuses.begin(), mail_statuses.end());
    if (!filter.status.empty()) {
        statuses.assign(1, filter.status);
    }
    query.params.texts(statuses)
        .integer(filter.before.value_or(std::numeric_limits<std::int64_t>::max()))
        .integer(std::clamp(filter.limit, 1, longest_page));
    if (!filter.correlation_id.empty()) {
        query.params.text(filter.correlation_id);
        add_text_or_any(query.params, filter.document_type);
        add_text_or_any(query.params, filter.recipient);
    } else if (!filter.recipient.empty()) {
        query.params.text(filter.recipient);
        add_text_or_any(query.params, filter.document_type);
    } else if (!filter.document_type.empty()) {
        query.params.text(filter.document_type);
    }
    return query;
}

} // namespace

Task<Result<std::optional<MailStory>>> get_mail(pg::Connection& connection, std::int64_t message,
                                                Deadline deadline)
{
    std::vector<pg::Query> queries(2);
    queries[0].statement = sql::get_mail;
    queries[0].params.integer(message);
    queries[1].statement = sql::load_mail_attachments;
    queries[1].params.integer(message);
    const Result<std::vector<pg::Rows>> answers =
        co_await connection.transact(std::move(queries), deadline);
    if (!answers) {
        co_return fail(answers.error());
    }
    const pg::Rows& rows = answers->at(0);
    if (rows.empty()) {
        co_return std::optional<MailStory>{};
    }
    MailStory story;
    story.mail = read_view(rows, 0);
    story.text = rows.text(0, 18);
    story.html = rows.text(0, 19);
    story.attachments = read_attachments(answers->at(1));

    const std::vector<std::int64_t> events{story.mail.event.value};
    pg::Query results{sql::load_results, {}};
    results.params.integers(events);
    const Result<pg::Rows> tries = co_await connection.run(std::move(results), deadline);
    if (!tries) {
        co_return fail(tries.error());
    }
    for (std::size_t row = 0; row < tries->size(); ++row) {
        core::StepResult one = read_result(*tries, row);
        if (one.destination == core::mail_destination &&
            one.direction == core::Direction::forward) {
            story.tries.push_back(std::move(one));
        }
    }
    co_return std::optional(std::move(story));
}

Task<Result<std::vector<MailView>>> list_mail(pg::Connection& connection, MailFilter filter,
                                              Deadline deadline)
{
    pg::Query query = query_for(filter);
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    std::vector<MailView> page;
    for (std::size_t row = 0; row < rows->size(); ++row) {
        page.push_back(read_view(*rows, row));
    }
    co_return page;
}

} // namespace sagabox::store
