#include "store/mail_reading.hpp"
#include "store/mail_views.hpp"
#include "store/reading.hpp"

#include <algorithm>
#include <utility>

#include "sql.hpp"

namespace sagabox::store {

namespace {

constexpr int most_resent_at_once = 10'000;

/// Rows of counts beyond which adding them up again and again costs more than folding them once.
constexpr std::int64_t worth_folding = 10'000;

Resent resent(std::string_view label)
{
    if (label == "again") {
        return Resent::again;
    }
    if (label == "in_a_saga") {
        return Resent::in_a_saga;
    }
    if (label == "event_gone") {
        return Resent::event_gone;
    }
    return label == "not_failed" ? Resent::not_failed : Resent::unknown;
}

void add_text_or_any(pg::Params& params, const std::string& text)
{
    if (text.empty()) {
        params.null();
    } else {
        params.text(text);
    }
}

} // namespace

Task<Result<std::vector<MailCount>>> count_mail(pg::Connection& connection, Deadline deadline)
{
    pg::Query query{sql::count_mail, {}};
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    std::vector<MailCount> counts;
    for (const std::string_view status : mail_statuses) {
        counts.push_back({std::string(status), 0});
    }
    std::int64_t gathered = 0;
    for (std::size_t row = 0; row < rows->size(); ++row) {
        for (MailCount& count : counts) {
            if (count.status == rows->text(row, 0)) {
                count.messages = rows->integer(row, 1);
            }
        }
        gathered += rows->integer(row, 2);
    }
    if (gathered >= worth_folding) {
        pg::Query fold{sql::fold_mail_counts, {}};
        fold.params.integer(worth_folding);
        // Only to be quicker the next time: a standby, or a role that may only read, can't.
        const Result<pg::Rows> folded = co_await connection.run(std::move(fold), deadline);
        if (!folded && folded.error().breaks_connection() &&
            folded.error().kind() != Fault::Kind::read_only) {
            co_return fail(folded.error());
        }
    }
    co_return counts;
}

Task<Result<Resent>> resend_mail(pg::Connection& connection, std::int64_t message,
                                 Deadline deadline)
{
    pg::Query query{sql::resend_mail, {}};
    query.params.integer(message);
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    co_return resent(rows->text(0, 0));
}

Task<Result<int>> resend_mail_where(pg::Connection& connection, ResendFilter filter,
                                    Deadline deadline)
{
    pg::Query query{sql::resend_mail_where, {}};
    add_text_or_any(query.params, filter.status);
    add_text_or_any(query.params, filter.document_type);
    query.params.text(filter.received_from)
        .text(filter.received_until)
        .integer(std::clamp(filter.limit, 1, most_resent_at_once));
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        // 22007, 22008: a moment that PostgreSQL can't read, or that lies beyond its calendar.
        const std::string& code = rows.error().code();
        if (code == "22007" || code == "22008") {
            co_return fail(Fault::Kind::bad_input, rows.error().text(), code);
        }
        co_return fail(rows.error());
    }
    co_return static_cast<int>(rows->integer(0, 0));
}

Task<Result<std::vector<MailProviderState>>> list_mail_providers(pg::Connection& connection,
                                                                 Deadline deadline)
{
    pg::Query query{sql::list_mail_providers, {}};
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    std::vector<MailProviderState> providers;
    for (std::size_t row = 0; row < rows->size(); ++row) {
        MailProviderState one;
        one.name = rows->text(row, 0);
        one.state = rows->text(row, 1);
        one.failures = static_cast<int>(rows->integer(row, 2));
        one.last_error = rows->text(row, 3);
        one.open_until = read_moment(*rows, row, 4);
        one.changed_at = read_time(*rows, row, 5);
        providers.push_back(std::move(one));
    }
    co_return providers;
}

} // namespace sagabox::store
