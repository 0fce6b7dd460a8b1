#include "mail/compose.hpp"

#include "mail/date.hpp"
#include "mail/domain.hpp"
#include "mail/fields.hpp"
#include "mail/file_name.hpp"
#include "mail/header.hpp"
#include "mail/text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace sagabox::mail {

namespace {

constexpr std::size_t line_length = 78;
constexpr std::string_view any_bytes = "application/octet-stream";

void append(Lines& lines, Lines more)
{
    lines.insert(lines.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
}

/// A Message-ID whose domain is in ASCII, so that no name of a domain demands SMTPUTF8.
std::string ascii_id(const std::string& message_id)
{
    const std::size_t at = message_id.rfind('@');
    if (at == std::string::npos || is_ascii(message_id)) {
        return message_id;
    }
    const std::string_view behind = std::string_view(message_id).substr(at + 1);
    const Result<std::string> domain = to_ascii_domain(behind.substr(0, behind.find('>')));
    return domain ? fmt::format("{}@{}>", message_id.substr(0, at), *domain) : message_id;
}

Lines header_lines(const Message& message, const Address& from, const Parties& parties)
{
    Lines lines;
    append(lines, fold("Date", {to_date(message.received_at)}));
    append(lines, fold("From", address_words({from})));
    if (!parties.reply_to.empty()) {
        append(lines, fold("Reply-To", address_words(parties.reply_to)));
    }
    if (!parties.to.empty()) {
        append(lines, fold("To", address_words(parties.to)));
    }
    if (!parties.cc.empty()) {
        append(lines, fold("Cc", address_words(parties.cc)));
    }
    append(lines, fold("Subject", text_words(message.subject)));
    append(lines, fold("Message-ID", {ascii_id(message.message_id)}));
    if (!message.correlation_id.empty()) {
        append(lines, fold("X-Correlation-Id", text_words(message.correlation_id)));
    }
    if (!message.document_type.empty()) {
        append(lines, fold("X-Document-Type", text_words(message.document_type)));
    }
    lines.emplace_back("MIME-Version: 1.0");
    return lines;
}

MimePart text_part(std::string_view content_type, std::string text)
{
    MimePart part;
    part.content_type = content_type;
    part.content = std::move(text);
    part.encoding = MimePart::Encoding::quoted_printable;
    return part;
}

MimePart multipart(std::string_view content_type, MimePart first)
{
    MimePart part;
    part.content_type = content_type;
    part.parts.push_back(std::move(first));
    return part;
}

/// A content type that one leaf can have. A message or a multipart is read as more than its bytes.
std::string leaf_type(const std::string& declared)
{
    std::string lower;
    for (const char c : declared) {
        lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    const std::size_t slash = lower.find('/');
    const bool usable = slash != std::string::npos && slash > 0 && slash + 1 < lower.size() &&
                        lower.size() <= line_length - 20 && is_printable_ascii(lower) &&
                        lower.back() != ';' && !lower.starts_with("multipart/") &&
                        !lower.starts_with("message/");
    return usable ? declared : std::string(any_bytes);
}

MimePart attachment_part(Attachment attachment)
{
    MimePart part;
    part.content_type = leaf_type(attachment.content_type);
    if (!attachment.file_name.empty()) {
        part.content_type += ';';
        append(part.headers, name_lines(attachment.file_name));
        append(part.headers, disposition_lines(attachment.file_name));
    } else {
        part.headers.emplace_back("Content-Disposition: attachment");
    }
    part.content = std::move(attachment.content);
    return part;
}

MimePart body_of(Message message)
{
    MimePart body;
    if (message.html.empty()) {
        body = text_part("text/plain; charset=utf-8", std::move(message.text));
    } else if (message.text.empty()) {
        body = text_part("text/html; charset=utf-8", std::move(message.html));
    } else {
        // The best form last (RFC 2046 section 5.1.4).
        body = multipart("multipart/alternative",
                         text_part("text/plain; charset=utf-8", std::move(message.text)));
        body.parts.push_back(text_part("text/html; charset=utf-8", std::move(message.html)));
    }
    if (message.attachments.empty()) {
        return body;
    }
    MimePart mixed = multipart("multipart/mixed", std::move(body));
    for (Attachment& attachment : message.attachments) {
        mixed.parts.push_back(attachment_part(std::move(attachment)));
    }
    return mixed;
}

} // namespace

Result<Composed> compose(Message message, std::string_view from,
                         const std::vector<std::string>& skip)
{
    if (const std::string field = field_that_breaks_lines(message); !field.empty()) {
        return fail(Fault::Kind::bad_input,
                    fmt::format("{} holds a line break or NUL, and nothing was sent", field));
    }
    const Result<Address> sender = read_address(from);
    if (!sender) {
        return fail(Fault::Kind::bad_input, fmt::format("from: {}", sender.error().text()));
    }
    const Result<Parties> parties = read_parties(message);
    if (!parties) {
        return fail(parties.error());
    }
    Composed composed;
    composed.sender = sender->bare;
    composed.recipients = envelope_of(*parties, skip);
    composed.headers = header_lines(message, *sender, *parties);
    composed.body = body_of(std::move(message));
    return composed;
}

} // namespace sagabox::mail
