#include "api/api.hpp"

#include "api/answer.hpp"
#include "api/console_routes.hpp"
#include "api/emails.hpp"
#include "api/login.hpp"
#include "api/metrics_route.hpp"
#include "api/openapi.hpp"
#include "api/outbox.hpp"

#include <array>
#include <utility>

namespace sagabox::api {

namespace {

constexpr std::size_t connections = 5;
constexpr std::string_view stream_path = "/api/stream";

constexpr std::array<std::string_view, 10> roots{
    "/api/outbox", "/api/dead-letters", "/api/emails", "/api/stream", "/api/session",
    "/api/reload", "/api/openapi.json", "/healthz",    "/readyz",     "/metrics"};

bool is_at_or_below(std::string_view path, std::string_view root)
{
    return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

http::Response describe(const Call&)
{
    http::Response response;
    response.headers.emplace_back("Content-Type", "application/json");
    response.body = openapi_document;
    return response;
}

/// What the server's own stream route does not take: it answers every GET for this path.
http::Response no_stream(const Call&)
{
    return problem(503, "The event stream is not open here.");
}

} // namespace

Api::Api(Options options, std::shared_ptr<const core::Plan> plan)
    : plans_(std::move(plan)), database_(std::move(options.database), connections),
      access_(std::move(options.address), std::move(options.token)), router_(access_),
      feed_(database_)
{
    add_outbox_routes(router_, database_, plans_);
    add_letter_routes(router_, database_, plans_);
    add_email_routes(router_, database_, plans_, options.max_mail_body);
    add_console_routes(router_, database_, plans_);
    add_login_route(router_, access_);
    add_metrics_route(router_, std::move(options.metrics));
    add_reload_route(router_, std::move(options.reload));
    add_health_routes(router_, database_, std::move(options.relay), options.health,
                      std::move(options.version));
    router_.add({"GET", "/api/openapi.json", {}, &describe});
    router_.add({"GET", std::string(stream_path), {}, &no_stream});
}

Api::~Api() = default;

bool Api::owns(std::string_view path)
{
    for (const std::string_view root : roots) {
        if (is_at_or_below(path, root)) {
            return true;
        }
    }
    return false;
}

http::Response Api::handle(const http::Request& request)
{
    http::Response response = router_.answer(request);
    add_security_headers(response);
    return response;
}

http::Response Api::admit(const http::Request& request)
{
    http::Response response;
    response.headers.emplace_back("Content-Type", "text/event-stream");
    if (auto refused = router_.refuse(request)) {
        response = *std::move(refused);
    } else if (!feed_.has_room()) {
        response =
            problem(503, "Too many watch already; try again later.", {{"Retry-After", "10"}});
    }
    add_security_headers(response);
    return response;
}

void Api::serve_stream(http::Server& server)
{
    server.serve_stream(
        std::string(stream_path),
        [this](const http::Request&, std::shared_ptr<http::Stream> stream) {
            feed_.add(std::move(stream));
        },
        [this](const http::Request& request) { return admit(request); });
}

} // namespace sagabox::api
