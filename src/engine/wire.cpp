#include "engine/wire.hpp"

#include "core/header_list.hpp"
#include "transport/webhook_signature.hpp"

#include <chrono>
#include <cstdint>
#include <utility>

namespace sagabox::engine {

namespace {

core::MailAnswer::Stage to_stage(transport::SmtpAnswer::Stage stage)
{
    using From = transport::SmtpAnswer::Stage;
    using To = core::MailAnswer::Stage;
    switch (stage) {
    case From::refused:
        return To::nothing;
    case From::connect:
        return To::connect;
    case From::hello:
        return To::hello;
    case From::auth:
        return To::auth;
    case From::sender:
        return To::sender;
    case From::rcpt:
        return To::rcpt;
    case From::data:
        return To::data;
    case From::final_dot:
        break;
    }
    return To::final_dot;
}

/// Standard Webhooks: the id is the same at each attempt, as the Idempotency-Key is, and nobody
/// else's headers of these names leave.
void sign(core::Request& request, DbTime now)
{
    std::string id;
    std::erase_if(request.headers, [&id](const auto& header) {
        if (core::same_header_name(header.first, "Idempotency-Key")) {
            id = header.second;
        }
        return core::same_header_name(header.first, "webhook-id") ||
               core::same_header_name(header.first, "webhook-timestamp") ||
               core::same_header_name(header.first, "webhook-signature");
    });
    const std::int64_t time =
        std::chrono::duration_cast<std::chrono::seconds>(now.since_epoch).count();
    std::string signature = transport::webhook_signature(request.sign->key, id, time,
                                                         request.body.value_or(std::string()));
    request.headers.emplace_back("webhook-id", std::move(id));
    request.headers.emplace_back("webhook-timestamp", std::to_string(time));
    request.headers.emplace_back("webhook-signature", std::move(signature));
}

} // namespace

transport::HttpRequest to_http(core::Request request, DbTime now)
{
    if (request.sign) {
        sign(request, now);
    }
    transport::HttpRequest out{
        std::move(request.method), std::move(request.url), std::move(request.headers),
        std::move(request.body),   request.timeout,        request.follow_redirects};
    if (request.tls) {
        const core::Tls& tls = *request.tls;
        out.tls =
            transport::TlsFiles{tls.ca_file, tls.certificate_file, tls.key_file, tls.key_password};
    }
    return out;
}

core::Answer to_answer(transport::HttpAnswer answer)
{
    using From = transport::HttpAnswer::Delivery;
    using To = core::Answer::Delivery;
    core::Answer out;
    out.delivery = answer.delivery == From::answered     ? To::answered
                   : answer.delivery == From::unanswered ? To::unanswered
                                                         : To::not_sent;
    out.status = answer.status;
    out.headers = std::move(answer.headers);
    out.body = std::move(answer.body);
    out.truncated = answer.truncated;
    out.error = std::move(answer.error);
    out.duration = answer.duration;
    return out;
}

core::MailAnswer to_answer(transport::SmtpAnswer answer, const std::vector<std::string>& recipients)
{
    core::MailAnswer out;
    out.stage = to_stage(answer.stage);
    out.reply = {answer.reply.code, std::move(answer.reply.text)};
    for (std::size_t i = 0; i < recipients.size(); ++i) {
        core::MailAnswer::Recipient recipient{recipients[i], {}};
        if (i < answer.rcpt.size()) {
            recipient.reply = {answer.rcpt[i].code, std::move(answer.rcpt[i].text)};
        }
        out.recipients.push_back(std::move(recipient));
    }
    out.error = std::move(answer.error);
    out.duration = answer.duration;
    return out;
}

} // namespace sagabox::engine
