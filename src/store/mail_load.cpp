#include "store/mail.hpp"

#include "store/mail_reading.hpp"
#include "store/reading.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sql.hpp"

namespace sagabox::store {

namespace {

/// Hexadecimal text doubles what it carries, so large attachments come in pieces: no more than the
/// bytes themselves and one piece is held.
constexpr std::int64_t piece_bytes = std::int64_t{1} << 20;

int digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

void append_hex(std::string& bytes, std::string_view hex)
{
    for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
        bytes += static_cast<char>(digit(hex[at]) * 16 + digit(hex[at + 1]));
    }
}

} // namespace

Task<Result<std::optional<StoredMail>>> load_mail(pg::Connection& connection, std::int64_t message,
                                                  Deadline deadline)
{
    std::vector<pg::Query> queries(3);
    queries[0].statement = sql::load_mail;
    queries[0].params.integer(message);
    queries[1].statement = sql::load_mail_attachments;
    queries[1].params.integer(message);
    queries[2].statement = sql::find_open_mail_breakers;
    const Result<std::vector<pg::Rows>> answers =
        co_await connection.transact(std::move(queries), deadline);
    if (!answers) {
        co_return fail(answers.error());
    }
    const pg::Rows& rows = answers->at(0);
    if (rows.empty()) {
        co_return std::optional<StoredMail>{};
    }
    StoredMail mail;
    mail.id = rows.integer(0, 0);
    mail.message_id = rows.text(0, 1);
    mail.correlation_id = rows.text(0, 2);
    mail.document_type = rows.text(0, 3);
    mail.idempotency_key = rows.text(0, 4);
    mail.received_at = read_time(rows, 0, 5);
    mail.to = read_texts(rows, 0, 6);
    mail.cc = read_texts(rows, 0, 7);
    mail.bcc = read_texts(rows, 0, 8);
    mail.reply_to = rows.text(0, 9);
    mail.subject = rows.text(0, 10);
    mail.text = rows.text(0, 11);
    mail.html = rows.text(0, 12);
    mail.attachments = read_attachments(answers->at(1));
    const pg::Rows& breakers = answers->at(2);
    for (std::size_t row = 0; row < breakers.size(); ++row) {
        mail.left_out.emplace_back(breakers.text(row, 0), read_time(breakers, row, 1));
    }
    co_return std::optional(std::move(mail));
}

Task<Result<std::string>> load_attachment(pg::Connection& connection, std::int64_t attachment,
                                          Deadline deadline)
{
    std::string bytes;
    for (;;) {
        pg::Query query{sql::load_mail_attachment_piece, {}};
        query.params.integer(attachment)
            .integer(static_cast<std::int64_t>(bytes.size()))
            .integer(piece_bytes);
        const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
        if (!rows) {
            co_return fail(rows.error());
        }
        if (rows->empty()) {
            co_return fail(Fault::Kind::bad_input,
                           fmt::format("attachment {} is not there any more", attachment));
        }
        const auto whole = static_cast<std::size_t>(rows->integer(0, 1));
        bytes.reserve(whole);
        append_hex(bytes, rows->text(0, 0));
        if (bytes.size() >= whole) {
            co_return bytes;
        }
    }
}

} // namespace sagabox::store
