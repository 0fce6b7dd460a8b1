#include "store/mail_reading.hpp"

#include "store/reading.hpp"

namespace sagabox::store {

std::vector<std::string> read_texts(const pg::Rows& rows, std::size_t row, std::size_t column)
{
    const json::Value list = read_json(rows, row, column);
    std::vector<std::string> texts;
    if (const json::Array* items = list.as_array()) {
        for (const json::Value& item : *items) {
            if (const std::string* text = item.as_string()) {
                texts.push_back(*text);
            }
        }
    }
    return texts;
}

std::optional<DbTime> read_moment(const pg::Rows& rows, std::size_t row, std::size_t column)
{
    if (rows.is_null(row, column)) {
        return std::nullopt;
    }
    return read_time(rows, row, column);
}

std::vector<MailAttachment> read_attachments(const pg::Rows& rows)
{
    std::vector<MailAttachment> attachments;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        MailAttachment one;
        one.id = rows.integer(row, 0);
        one.file_name = rows.text(row, 1);
        one.content_type = rows.text(row, 2);
        one.bytes = rows.integer(row, 3);
        attachments.push_back(std::move(one));
    }
    return attachments;
}

} // namespace sagabox::store
