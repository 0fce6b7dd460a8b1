#include "app/api_host.hpp"

#include "api/console_pages.hpp"
#include "app/wiring.hpp"

#include <utility>

namespace sagabox::app {

namespace {

/// Base64 takes four characters for three bytes; texts and addresses come on top.
std::size_t mail_body(const config::Settings& settings)
{
    const config::Mail mail = settings.mail.value_or(config::Mail{});
    return static_cast<std::size_t>(mail.max_total_bytes) / 3 * 4 + api::usual_body;
}

} // namespace

api::RelayState relay_state(const engine::Relay* relay, const engine::DestinationWatch& watch)
{
    api::RelayState state;
    if (relay == nullptr) {
        return state;
    }
    state.started = true;
    state.database_up = relay->database_up();
    state.listening = relay->listening();
    state.standstill = relay->standstill();
    state.failing = watch.failing(std::chrono::steady_clock::now());
    return state;
}

api::Api::Options api_options(const config::Settings& settings, const std::string& database_url,
                              const Observers& observers, std::function<api::RelayState()> relay)
{
    api::Api::Options options;
    options.database = database_options(settings, database_url);
    options.address = settings.http.address;
    options.token = settings.http.token;
    options.version = SAGABOX_VERSION;
    options.max_mail_body = mail_body(settings);
    options.relay = std::move(relay);
    options.health.max_age = settings.health.max_age;
    options.health.destination_down_after = settings.health.destination_down_after;
    options.health.stuck_after = settings.health.stuck_after;
    options.metrics = [&metrics = observers.metrics()] {
        return metrics.page();
    };
    return options;
}

std::vector<std::pair<std::string, std::size_t>> body_limits(const config::Settings& settings)
{
    return {{"/api/emails", mail_body(settings)}};
}

Result<std::unique_ptr<ApiHost>> ApiHost::start(const config::Settings& settings,
                                                const std::string& database_url,
                                                const Observers& observers,
                                                std::function<api::Reloaded()> reload)
{
    std::unique_ptr<ApiHost> host(new ApiHost);
    api::Api::Options about =
        api_options(settings, database_url, observers,
                    [self = host.get(), &destinations = observers.destinations()] {
                        return relay_state(self->relay_.load(), destinations);
                    });
    about.reload = std::move(reload);
    host->api_ = std::make_unique<api::Api>(std::move(about), settings.plan);
    http::Server::Options options;
    options.address = settings.http.address;
    options.port = settings.http.port;
    options.max_body_of = body_limits(settings);
    Result<std::unique_ptr<http::Server>> server = http::Server::start(
        std::move(options), [api = host->api_.get()](const http::Request& request) {
            std::optional<http::Response> page = api::console_page(request);
            return page ? *std::move(page) : api->handle(request);
        });
    if (!server) {
        return fail(std::move(server.error()));
    }
    host->server_ = std::move(*server);
    host->api_->serve_stream(*host->server_);
    return host;
}

ApiHost::~ApiHost()
{
    server_.reset();
}

} // namespace sagabox::app
