#include "mail/fields.hpp"

#include "mail/text.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace sagabox::mail {

namespace {

Result<std::vector<Address>> read_list(std::string_view field, const std::vector<std::string>& list)
{
    std::vector<Address> addresses;
    for (std::size_t i = 0; i < list.size(); ++i) {
        Result<Address> address = read_address(list[i]);
        if (!address) {
            return fail(Fault::Kind::bad_input,
                        fmt::format("{}[{}]: {}", field, i, address.error().text()));
        }
        addresses.push_back(std::move(*address));
    }
    return addresses;
}

} // namespace

std::string field_that_breaks_lines(const Message& message)
{
    const std::pair<std::string_view, const std::string*> singles[] = {
        {"messageId", &message.message_id},
        {"correlationId", &message.correlation_id},
        {"documentType", &message.document_type},
        {"replyTo", &message.reply_to},
        {"subject", &message.subject},
    };
    for (const auto& [name, value] : singles) {
        if (breaks_lines(*value)) {
            return std::string(name);
        }
    }
    const std::pair<std::string_view, const std::vector<std::string>*> lists[] = {
        {"to", &message.to}, {"cc", &message.cc}, {"bcc", &message.bcc}};
    for (const auto& [name, list] : lists) {
        for (std::size_t i = 0; i < list->size(); ++i) {
            if (breaks_lines((*list)[i])) {
                return fmt::format("{}[{}]", name, i);
            }
        }
    }
    for (std::size_t i = 0; i < message.attachments.size(); ++i) {
        if (breaks_lines(message.attachments[i].file_name)) {
            return fmt::format("attachments[{}].fileName", i);
        }
        if (breaks_lines(message.attachments[i].content_type)) {
            return fmt::format("attachments[{}].contentType", i);
        }
    }
    return {};
}

Result<Parties> read_parties(const Message& message)
{
    Parties parties;
    const std::pair<std::string_view, const std::vector<std::string>*> sources[] = {
        {"to", &message.to}, {"cc", &message.cc}, {"bcc", &message.bcc}};
    std::vector<Address>* const targets[] = {&parties.to, &parties.cc, &parties.bcc};
    for (std::size_t i = 0; i < std::size(sources); ++i) {
        Result<std::vector<Address>> list = read_list(sources[i].first, *sources[i].second);
        if (!list) {
            return fail(list.error());
        }
        *targets[i] = std::move(*list);
    }
    if (!message.reply_to.empty()) {
        Result<Address> reply_to = read_address(message.reply_to);
        if (!reply_to) {
            return fail(Fault::Kind::bad_input,
                        fmt::format("replyTo: {}", reply_to.error().text()));
        }
        parties.reply_to.push_back(std::move(*reply_to));
    }
    return parties;
}

std::vector<std::string> envelope_of(const Parties& parties, const std::vector<std::string>& skip)
{
    std::vector<std::string> recipients;
    for (const auto* list : {&parties.to, &parties.cc, &parties.bcc}) {
        for (const Address& address : *list) {
            if (!contains(recipients, address.bare) && !contains(skip, address.bare)) {
                recipients.push_back(address.bare);
            }
        }
    }
    return recipients;
}

} // namespace sagabox::mail
