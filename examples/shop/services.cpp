#include "shop/services.hpp"

#include <array>

namespace shop {
namespace {

constexpr Service notification(std::string_view path)
{
    return {.path = path,
            .base = {},
            .undo = {},
            .action = "notifications.send",
            .undo_action = {},
            .leaves = "notified",
            .id_prefix = "ntf",
            .id_field = "notificationId",
            .done = "SENT",
            .undone = {}};
}

constexpr Service mail_provider(std::string_view path, std::string_view action)
{
    return {.path = path,
            .base = {},
            .undo = {},
            .action = action,
            .undo_action = {},
            .leaves = {},
            .id_prefix = "msg",
            .id_field = "id",
            .done = "ACCEPTED",
            .undone = {}};
}

constexpr std::array<Service, 12> all{{
    {"/api/inventory/reserve", "/api/inventory", "release", "inventory.reserve",
     "inventory.release", "reserved", "res", "reservationId", "RESERVED", "RELEASED"},
    {"/api/fraud/check", "", "", "fraudCheck.check", "", "", "chk", "checkId", "CHECKED", ""},
    {"/api/domestic-shipping", "/api/domestic-shipping", "cancel", "shipping.domestic.create",
     "shipping.domestic.cancel", "shipped", "shd", "shipmentId", "CREATED", "CANCELLED"},
    {"/api/international-shipping", "/api/international-shipping", "cancel",
     "shipping.international.create", "shipping.international.cancel", "shipped", "shi",
     "shipmentId", "CREATED", "CANCELLED"},
    {"/api/billing", "/api/billing", "refund", "billing.charge", "billing.refund", "charged", "txn",
     "transactionId", "CHARGED", "REFUNDED"},
    {"/api/high-value-processing", "/api/high-value-processing", "cancel", "highValue.process",
     "highValue.cancel", "charged", "hvp", "processingId", "PROCESSED", "CANCELLED"},
    notification("/api/notifications/shipping-confirmation"),
    notification("/api/notifications/review-request"),
    notification("/api/notifications/status-update"),
    mail_provider("/api/mail-providers/first/messages", "mail.first"),
    mail_provider("/api/mail-providers/second/messages", "mail.second"),
    mail_provider({}, "mail.smtp"), // it speaks SMTP: no path leads to it
}};

std::optional<Call> find_plain(std::string_view path)
{
    for (const Service& service : all) {
        if (path == service.path) {
            return Call{.service = &service, .id = {}};
        }
        if (service.base.empty() || !path.starts_with(service.base)) {
            continue;
        }
        std::string_view rest = path.substr(service.base.size());
        const std::size_t last = rest.rfind('/');
        if (!rest.starts_with('/') || last == 0 || rest.substr(last + 1) != service.undo) {
            continue;
        }
        const std::string_view id = rest.substr(1, last - 1);
        if (!id.empty() && id.find('/') == std::string_view::npos) {
            return Call{
                .service = &service, .direction = Call::Direction::revert, .id = std::string(id)};
        }
    }
    return std::nullopt;
}

} // namespace

std::span<const Service> services()
{
    return all;
}

bool is_action(std::string_view name)
{
    for (const Service& service : all) {
        if (!name.empty() && (name == service.action || name == service.undo_action)) {
            return true;
        }
    }
    return false;
}

std::optional<Call> find_call(std::string_view path)
{
    Call::Mode mode = Call::Mode::normal;
    for (const auto& [ending, meaning] :
         {std::pair<std::string_view, Call::Mode>{"/succeed", Call::Mode::succeed},
          {"/fail", Call::Mode::fail}}) {
        if (path.ends_with(ending)) {
            path.remove_suffix(ending.size());
            mode = meaning;
            break;
        }
    }
    std::optional<Call> call = find_plain(path);
    if (call) {
        call->mode = mode;
    }
    return call;
}

} // namespace shop
