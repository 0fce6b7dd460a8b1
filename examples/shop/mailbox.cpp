#include "shop/mailbox.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include <nlohmann/json.hpp>

namespace shop {
namespace {

std::string text_at(const nlohmann::json& object, const char* name)
{
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool same_name(std::string_view a, std::string_view b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
        return std::tolower(x) == std::tolower(y);
    });
}

/// A header's value with its folded lines joined; empty where there is none.
std::string header_of(std::string_view head, std::string_view wanted)
{
    std::string value;
    bool inside = false;
    while (!head.empty()) {
        const std::size_t end = std::min(head.find("\r\n"), head.size());
        const std::string_view line = head.substr(0, end);
        head.remove_prefix(std::min(end + 2, head.size()));
        if (inside && !line.empty() && (line.front() == ' ' || line.front() == '\t')) {
            value += line;
            continue;
        }
        const std::size_t colon = line.find(':');
        inside = colon != std::string_view::npos && same_name(line.substr(0, colon), wanted);
        if (inside) {
            const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
            value = begin == std::string_view::npos ? std::string_view() : line.substr(begin);
        }
    }
    return value;
}

std::size_t count(std::string_view text, std::string_view what)
{
    std::size_t found = 0;
    for (auto at = text.find(what); at != std::string_view::npos;
         at = text.find(what, at + what.size())) {
        ++found;
    }
    return found;
}

} // namespace

std::optional<TakenMail> read_http_mail(std::string_view provider, std::string_view body)
{
    const auto parsed = nlohmann::json::parse(body, nullptr, false);
    if (!parsed.is_object()) {
        return std::nullopt;
    }
    TakenMail mail;
    mail.provider = provider;
    mail.message_id = text_at(parsed, "messageId");
    mail.from = text_at(parsed, "from");
    mail.subject = text_at(parsed, "subject");
    const auto recipients = parsed.find("to");
    if (recipients != parsed.end() && recipients->is_array()) {
        for (const auto& recipient : *recipients) {
            mail.to.push_back(recipient.is_object() ? text_at(recipient, "email") : std::string());
        }
    }
    const auto attachments = parsed.find("attachments");
    if (attachments != parsed.end() && attachments->is_array()) {
        mail.attachments = attachments->size();
    }
    if (mail.message_id.empty() || mail.to.empty()) {
        return std::nullopt;
    }
    return mail;
}

TakenMail read_smtp_mail(std::string from, std::vector<std::string> to, std::string_view data)
{
    const std::string_view head = data.substr(0, data.find("\r\n\r\n"));
    TakenMail mail;
    mail.provider = "smtp";
    mail.message_id = header_of(head, "Message-ID");
    mail.from = std::move(from);
    mail.to = std::move(to);
    mail.subject = header_of(head, "Subject");
    mail.attachments = count(data, "Content-Disposition: attachment");
    return mail;
}

void Mailbox::take(TakenMail mail)
{
    const std::lock_guard lock(mutex_);
    kept_.push_front({std::move(mail), ++sequence_});
    if (kept_.size() > most_kept) {
        kept_.pop_back();
    }
}

void Mailbox::reset()
{
    const std::lock_guard lock(mutex_);
    kept_.clear();
}

Json Mailbox::read(std::string_view to) const
{
    const std::lock_guard lock(mutex_);
    std::vector<Json> messages;
    for (const Kept& kept : kept_) {
        const std::vector<std::string>& recipients = kept.mail.to;
        if (!to.empty() &&
            std::find(recipients.begin(), recipients.end(), to) == recipients.end()) {
            continue;
        }
        const auto same_message = [&kept](const Kept& other) {
            return other.mail.message_id == kept.mail.message_id;
        };
        messages.push_back(Json::object(
            {{"sequence", kept.sequence},
             {"provider", kept.mail.provider},
             {"messageId", kept.mail.message_id},
             {"from", kept.mail.from},
             {"to", Json::array(std::vector<Json>(recipients.begin(), recipients.end()))},
             {"subject", kept.mail.subject},
             {"attachments", kept.mail.attachments},
             {"taken", std::count_if(kept_.begin(), kept_.end(), same_message)}}));
    }
    return Json::object({{"messages", Json::array(messages)}});
}

} // namespace shop
