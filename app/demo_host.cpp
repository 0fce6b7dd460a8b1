#include "app/demo_host.hpp"

#include "api/console_pages.hpp"
#include "app/api_host.hpp"
#include "app/demo_conf.hpp"
#include "app/schema.hpp"
#include "app/wiring.hpp"
#include "config/settings.hpp"

#include <atomic>
#include <exception>
#include <memory>
#include <utility>

namespace sagabox::app {

namespace {

constexpr std::uint64_t dice_seed = 20'261'130;

void fill_in(std::string& text, const std::string& placeholder, const std::string& value)
{
    for (auto at = text.find(placeholder); at != std::string::npos;
         at = text.find(placeholder, at + value.size())) {
        text.replace(at, placeholder.size(), value);
    }
}

std::string configuration_for(std::uint16_t port, std::uint16_t smtp_port)
{
    std::string text = demo_conf;
    fill_in(text, ":PORT/", ":" + std::to_string(port) + "/");
    fill_in(text, "SMTP_PORT", std::to_string(smtp_port));
    return text;
}

shop::Request to_shop(const http::Request& request)
{
    return {request.method, request.path, request.query, request.headers, request.body};
}

http::Response to_http(shop::Response response)
{
    http::Response out{response.status, std::move(response.headers), std::move(response.body),
                       response.delay};
    out.headers.emplace_back("Content-Security-Policy",
                             "default-src 'none'; frame-ancestors 'none'");
    out.headers.emplace_back("X-Content-Type-Options", "nosniff");
    out.headers.emplace_back("Referrer-Policy", "no-referrer");
    return out;
}

} // namespace

Result<std::unique_ptr<DemoHost>> DemoHost::start(Options options, engine::Watcher& watcher)
{
    std::unique_ptr<DemoHost> host(new DemoHost);
    Result<std::unique_ptr<pg::EmbeddedCluster>> cluster =
        pg::EmbeddedCluster::start({.folder = options.data});
    if (!cluster) {
        return fail(std::move(cluster.error()));
    }
    host->cluster_ = std::move(*cluster);

    // The server comes first, since its port stands in the configuration; until the shop is there,
    // it says so.
    const auto shop = std::make_shared<std::atomic<shop::Shop*>>(nullptr);
    const auto api = std::make_shared<std::atomic<api::Api*>>(nullptr);
    http::Server::Options serving;
    serving.port = options.port;
    serving.threads = 8;
    serving.max_body_of = body_limits(config::defaults());
    Result<std::unique_ptr<http::Server>> server =
        http::Server::start(std::move(serving), [shop, api](const http::Request& request) {
            if (std::optional<http::Response> page = api::console_page(request)) {
                return *std::move(page);
            }
            api::Api* const answering = api->load();
            if (answering != nullptr && api::Api::owns(request.path)) {
                return answering->handle(request);
            }
            shop::Shop* const ready = shop->load();
            return to_http(ready != nullptr ? ready->handle(to_shop(request))
                                            : shop::problem(503, "the demo is still starting"));
        });
    if (!server) {
        return fail(std::move(server.error()));
    }
    host->server_ = std::move(*server);

    // So does the shop, whose mail server's port stands there too.
    host->shop_ = std::make_unique<shop::Shop>(host->database_url(), config::Database{}.schema,
                                               std::map<std::string, double>{}, dice_seed);
    config::Loaded loaded =
        config::load_text(configuration_for(host->port(), host->shop_->smtp_port()), "demo.conf");
    if (!loaded.settings) {
        return fail(Fault::Kind::bad_input,
                    loaded.problems.front().place + ": " + loaded.problems.front().text);
    }
    const config::Settings& settings = *loaded.settings;
    const Result<store::Migrated> migrated =
        migrate_once(database_options(settings, host->database_url()));
    if (!migrated) {
        return fail(migrated.error());
    }
    host->shop_->set_failure_rates(settings.failure_rates);
    try {
        host->shop_->prepare();
    } catch (const std::exception& error) {
        return fail(Fault::Kind::refused, std::string("the shop's table: ") + error.what());
    }
    shop->store(host->shop_.get());
    host->plan_ = settings.plan;
    host->observers_ = std::make_unique<Observers>(settings, watcher);
    host->relay_ = std::make_unique<engine::Relay>(relay_options(settings, host->database_url()),
                                                   settings.plan, host->observers_->watcher());
    host->relay_->start();
    host->watched_ = host->relay_.get();
    host->api_ = std::make_unique<api::Api>(
        api_options(settings, host->database_url(), *host->observers_,
                    [self = host.get()] {
                        return relay_state(self->watched_.load(), self->observers_->destinations());
                    }),
        settings.plan);
    host->api_->serve_stream(*host->server_);
    api->store(host->api_.get());
    return host;
}

DemoHost::~DemoHost()
{
    watched_ = nullptr;
    if (relay_) {
        relay_->stop();
    }
    relay_.reset();
    server_.reset();
    api_.reset();
    cluster_.reset();
}

std::uint16_t DemoHost::port() const
{
    return server_->port();
}

const std::string& DemoHost::database_url() const
{
    return cluster_->url();
}

} // namespace sagabox::app
