#pragma once

#include "api/access.hpp"
#include "api/database.hpp"
#include "api/feed.hpp"
#include "api/health.hpp"
#include "api/plan_in_force.hpp"
#include "api/reload_route.hpp"
#include "api/router.hpp"
#include "core/plan.hpp"
#include "http/server.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sagabox::api {

/// The HTTP API: contract section 8, described by docs/openapi.json and docs/api.md.
///
/// Looks at the database by itself and keeps nothing in memory, so it tells the same whichever of
/// several relays is asked. Answers in bounded time, also while the database is away.
class Api {
public:
    struct Options {
        pg::Options database;
        std::string address = "127.0.0.1"; ///< that the server is bound to
        std::optional<std::string> token;  ///< demanded wherever it is set
        std::string version;
        std::size_t max_mail_body = usual_body; ///< of `POST /api/emails`
        std::function<RelayState()> relay;      ///< called from any thread
        HealthLimits health;
        std::function<std::string()> metrics; ///< the page of `/metrics`; called from any thread
        std::function<Reloaded()> reload;     ///< empty: there is no file; called from any thread
    };

    Api(Options options, std::shared_ptr<const core::Plan> plan);

    /// The server that this was attached to must have ended.
    ~Api();
    Api(const Api&) = delete;
    Api& operator=(const Api&) = delete;

    /// Whether a path is the API's, for a host that serves others as well.
    [[nodiscard]] static bool owns(std::string_view path);

    /// Answers any request but an opening of the event stream. Thread-safe.
    [[nodiscard]] http::Response handle(const http::Request& request);

    /// Opens the event stream on this server. Before its first request.
    void serve_stream(http::Server& server);

    /// Puts another plan in force. Thread-safe.
    void reload(std::shared_ptr<const core::Plan> plan) { plans_.replace(std::move(plan)); }

    [[nodiscard]] const Router& router() const { return router_; }

private:
    [[nodiscard]] http::Response admit(const http::Request& request);

    PlanInForce plans_;
    Database database_;
    Access access_;
    Router router_;
    Feed feed_;
};

} // namespace sagabox::api
