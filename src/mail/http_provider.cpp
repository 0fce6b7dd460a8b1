#include "mail/http_provider.hpp"

#include "base/base64.hpp"
#include "mail/address.hpp"
#include "mail/fields.hpp"
#include "json/value.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace sagabox::mail {

namespace {

bool same_header(std::string_view one, std::string_view other)
{
    return same_mailbox(one, other); // both are ASCII, compared without regard to case
}

json::Value people(const std::vector<Address>& addresses)
{
    json::Array list;
    for (const Address& address : addresses) {
        json::Object person;
        person.set("email", address.bare);
        person.set("name", address.name);
        list.emplace_back(std::move(person));
    }
    return list;
}

/// Those of `addresses` who are among `recipients`, each once in all the lists.
std::vector<Address> of_these(const std::vector<Address>& addresses,
                              const std::vector<std::string>& recipients,
                              std::vector<std::string>& named)
{
    std::vector<Address> kept;
    for (const Address& address : addresses) {
        if (contains(recipients, address.bare) && !contains(named, address.bare)) {
            named.push_back(address.bare);
            kept.push_back(address);
        }
    }
    return kept;
}

json::Value attachments_of(const Message& message)
{
    json::Array list;
    for (const Attachment& attachment : message.attachments) {
        std::string content;
        content.reserve((attachment.content.size() + 2) / 3 * 4);
        append_base64(content, attachment.content);
        json::Object entry;
        entry.set("fileName", attachment.file_name);
        entry.set("contentType", attachment.content_type);
        entry.set("content", std::move(content));
        list.emplace_back(std::move(entry));
    }
    return list;
}

core::Headers headers_for(const core::HttpMailProvider& provider, std::string idempotency_key)
{
    core::Headers headers{{"Idempotency-Key", std::move(idempotency_key)}};
    bool has_type = false;
    for (const auto& [name, value] : provider.headers) {
        if (!same_header(name, "Idempotency-Key")) {
            headers.emplace_back(name, value);
            has_type = has_type || same_header(name, "Content-Type");
        }
    }
    if (!has_type) {
        headers.emplace_back("Content-Type", "application/json");
    }
    return headers;
}

json::Object values_for(const Message& message, std::string_view from, Parties parties,
                        const std::vector<std::string>& recipients, const std::string& key)
{
    std::vector<std::string> named;
    parties.to = of_these(parties.to, recipients, named);
    parties.cc = of_these(parties.cc, recipients, named);
    parties.bcc = of_these(parties.bcc, recipients, named);
    if (parties.to.empty() && !parties.cc.empty()) {
        std::swap(parties.to, parties.cc);
    } else if (parties.to.empty() && parties.bcc.size() == 1) {
        std::swap(parties.to, parties.bcc);
    }
    json::Object values;
    values.set("from", from);
    values.set("to", people(parties.to));
    values.set("cc", people(parties.cc));
    values.set("bcc", people(parties.bcc));
    values.set("replyTo", message.reply_to);
    values.set("subject", message.subject);
    values.set("text", message.text);
    values.set("html", message.html);
    values.set("messageId", message.message_id);
    values.set("correlationId", message.correlation_id);
    values.set("documentType", message.document_type);
    values.set("idempotencyKey", key);
    return values;
}

/// Collects the addresses that a selected node holds.
void add_addresses(const json::Value& node, std::vector<std::string>& found)
{
    if (const std::string* text = node.as_string()) {
        const Result<Address> address = read_address(*text);
        if (address) {
            found.push_back(address->bare);
        }
    } else if (const json::Array* list = node.as_array()) {
        for (const json::Value& entry : *list) {
            add_addresses(entry, found);
        }
    } else if (const json::Value* email = node.find("email")) {
        add_addresses(*email, found);
    }
}

std::vector<std::string> selected(const std::optional<json::Path>& path, const json::Value& body)
{
    std::vector<std::string> found;
    if (path) {
        for (const json::Value* node : path->select(body)) {
            add_addresses(*node, found);
        }
    }
    return found;
}

} // namespace

Result<core::Request> http_request_for(const Message& message, std::string_view from,
                                       const std::vector<std::string>& recipients,
                                       const core::HttpMailProvider& provider,
                                       std::chrono::milliseconds timeout,
                                       std::string idempotency_key)
{
    if (const std::string field = field_that_breaks_lines(message); !field.empty()) {
        return fail(Fault::Kind::bad_input,
                    fmt::format("{} holds a line break or NUL, and nothing was sent", field));
    }
    Result<Parties> parties = read_parties(message);
    if (!parties) {
        return fail(parties.error());
    }
    json::Object values =
        values_for(message, from, std::move(*parties), recipients, idempotency_key);
    const std::vector<std::string>& wanted = provider.body.placeholders();
    if (std::find(wanted.begin(), wanted.end(), "attachments") != wanted.end()) {
        values.set("attachments", attachments_of(message));
    }
    Result<std::string> body = provider.body.fill_text(
        [&](std::string_view name) -> const json::Value* { return values.find(name); });
    if (!body) {
        return fail(
            Fault::Kind::bad_input,
            fmt::format("the provider's body template can't be filled: {}", body.error().text()));
    }
    core::Request request;
    request.method = provider.method;
    request.url = provider.url;
    request.headers = headers_for(provider, std::move(idempotency_key));
    request.body = std::move(*body);
    request.timeout = timeout;
    return request;
}

core::MailAnswer read_http_answer(const core::HttpMailProvider& provider,
                                  const std::vector<std::string>& recipients, core::Answer answer)
{
    core::MailAnswer read;
    read.stage = core::MailAnswer::Stage::http;
    read.error = answer.error;
    read.duration = answer.duration;
    for (const std::string& recipient : recipients) {
        read.recipients.push_back({recipient, {}});
    }
    const core::Outcome outcome =
        core::classify(answer, core::Direction::forward, provider.classify);
    if (outcome == core::Outcome::succeeded) {
        const bool has_paths = provider.accepted || provider.refused;
        const Result<json::Value> parsed =
            has_paths ? json::parse(answer.body) : Result<json::Value>(json::Value());
        const json::Value body = parsed ? *parsed : json::Value();
        const std::vector<std::string> accepted = selected(provider.accepted, body);
        const std::vector<std::string> refused = selected(provider.refused, body);
        const bool tells = !has_paths || parsed;
        for (core::MailAnswer::Recipient& one : read.recipients) {
            if (contains(refused, one.address)) {
                one.reply = {550, "refused by the provider"};
            } else if (tells && (!provider.accepted || contains(accepted, one.address))) {
                one.reply = {250, ""};
            } else {
                one.reply = {450, "not named in the provider's answer"};
            }
        }
    }
    read.http = std::move(answer);
    return read;
}

} // namespace sagabox::mail
