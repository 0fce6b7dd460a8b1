#include "shop/shop.hpp"

#include "shop/database.hpp"
#include "shop/orders.hpp"
#include "shop/services.hpp"
#include "shop/simulators.hpp"
#include "shop/smtp_receiver.hpp"

namespace shop {
namespace {

constexpr std::string_view orders_path = "/api/orders";
constexpr std::string_view simulators_path = "/api/simulators";

bool is_at_or_below(std::string_view path, std::string_view root)
{
    return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

} // namespace

struct Shop::Impl {
    Impl(std::string url, std::string schema, const std::map<std::string, double>& rates,
         std::uint64_t seed)
        : database(std::move(url), std::move(schema)), orders(database), simulators(rates, seed)
    {
    }

    Database database;
    Orders orders;
    Simulators simulators;
    SmtpReceiver mail{[this](SmtpReceiver::Envelope envelope, std::string_view data) {
        const Simulators::MailAnswer answer = simulators.take_mail(
            read_smtp_mail(std::move(envelope.from), std::move(envelope.to), data));
        return SmtpReceiver::Answer{.taken = answer.taken, .delay = answer.delay};
    }};
};

Shop::Shop(std::string database_url, std::string schema,
           std::map<std::string, double> failure_rates, std::uint64_t seed)
    : impl_(std::make_unique<Impl>(std::move(database_url), std::move(schema), failure_rates, seed))
{
}

Shop::~Shop() = default;

void Shop::prepare()
{
    impl_->orders.prepare();
}

std::uint16_t Shop::smtp_port() const
{
    return impl_->mail.port();
}

void Shop::set_failure_rates(const std::map<std::string, double>& rates)
{
    impl_->simulators.set_rates(rates);
}

bool Shop::owns(std::string_view path)
{
    return is_at_or_below(path, orders_path) || is_at_or_below(path, simulators_path) ||
           find_call(path).has_value();
}

Response Shop::handle(const Request& request)
{
    if (is_at_or_below(request.path, simulators_path)) {
        const auto parts = segments(request.path);
        return parts.size() == 3 ? impl_->simulators.administer(request, parts[2])
                                 : problem(404, "There is nothing at this address.");
    }
    if (is_at_or_below(request.path, orders_path)) {
        try {
            return impl_->orders.handle(request, segments(request.path));
        } catch (const Unavailable& away) {
            return problem(503, std::string(away.what()) + ".", {{"Retry-After", "1"}});
        }
    }
    if (const std::optional<Call> call = find_call(request.path)) {
        return impl_->simulators.handle(*call, request);
    }
    return problem(404, "There is nothing at this address.");
}

} // namespace shop
