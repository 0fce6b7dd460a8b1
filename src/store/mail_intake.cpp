#include "store/mail.hpp"

#include "json/value.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "sql.hpp"

namespace sagabox::store {

namespace {

constexpr std::string_view nul_in_text = "22P05";

/// PostgreSQL can't read the message as jsonb at all: no JSON, text that is no UTF-8, nested or
/// long beyond its bounds.
bool is_unreadable(const std::string& code)
{
    constexpr std::array codes{"22P02", "22021", "54000", "54001"};
    return std::find(codes.begin(), codes.end(), code) != codes.end();
}

/// The message with another control character in the place of each U+0000, which jsonb can't hold:
/// what checks it then names the fields that it stands in.
std::string without_nul(std::string_view message)
{
    std::string out;
    out.reserve(message.size());
    for (std::size_t at = 0; at < message.size(); ++at) {
        if (message[at] != '\\') {
            out += message[at];
        } else if (message.substr(at, 6) == "\\u0000") {
            out += "\\u0001";
            at += 5;
        } else {
            // A backslash takes the next character with it, which may be a backslash as well.
            out += message.substr(at, 2);
            ++at;
        }
    }
    return out;
}

std::vector<MailFault> read_faults(std::string_view text)
{
    std::vector<MailFault> faults;
    const Result<json::Value> read = json::parse(text);
    const json::Array* list = read ? read->as_array() : nullptr;
    if (list == nullptr) {
        return faults;
    }
    for (const json::Value& one : *list) {
        const json::Value* field = one.find("field");
        const json::Value* fault = one.find("fault");
        if (field != nullptr && fault != nullptr && field->as_string() != nullptr &&
            fault->as_string() != nullptr) {
            faults.push_back({*field->as_string(), *fault->as_string()});
        }
    }
    return faults;
}

Task<Result<MailIntake>> name_faults_with_nul(pg::Connection& connection, std::string message,
                                              Deadline deadline)
{
    pg::Query query{sql::check_mail, {}};
    query.params.text(without_nul(message));
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    MailIntake refused;
    if (rows) {
        refused.faults = read_faults(rows->text(0, 0));
    } else if (!is_unreadable(rows.error().code()) && rows.error().code() != nul_in_text) {
        co_return fail(rows.error());
    }
    if (refused.faults.empty()) {
        refused.faults.push_back({"", "must not hold U+0000, nor half a surrogate pair"});
    }
    co_return refused;
}

} // namespace

Task<Result<void>> publish_mail_rules(pg::Connection& connection, MailRules rules,
                                      Deadline deadline)
{
    // Media types are compared in lower case.
    for (std::string& type : rules.attachment_types) {
        for (char& c : type) {
            c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
    }
    pg::Query query{sql::publish_mail_rules, {}};
    query.params.text(rules.from)
        .texts(rules.document_types)
        .texts(rules.attachment_types)
        .integer(rules.max_attachments)
        .integer(rules.max_attachment_bytes)
        .integer(rules.max_total_bytes)
        .integer(rules.max_recipients);
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    co_return Result<void>{};
}

Task<Result<MailIntake>> accept_mail(pg::Connection& connection, std::string message,
                                     Deadline deadline)
{
    pg::Query query{sql::accept_mail, {}};
    query.params.text(message);
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    MailIntake intake;
    if (!rows) {
        const std::string& code = rows.error().code();
        if (code == nul_in_text) {
            co_return co_await name_faults_with_nul(connection, std::move(message), deadline);
        }
        if (is_unreadable(code)) {
            intake.faults.push_back(
                {"", "is no JSON that PostgreSQL can hold: " + rows.error().text()});
            co_return intake;
        }
        co_return fail(rows.error());
    }
    intake.faults = read_faults(rows->text(0, 0));
    intake.id = rows->integer(0, 1);
    intake.correlation_id = rows->text(0, 2);
    intake.status = rows->text(0, 3);
    intake.repeated = rows->boolean(0, 4);
    co_return intake;
}

} // namespace sagabox::store
