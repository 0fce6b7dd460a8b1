#pragma once

#include "api/access.hpp"
#include "http/server.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sagabox::api {

/// A request that has found its route.
struct Call {
    const http::Request& request;
    std::int64_t id = 0; ///< what stands for `{id}` in the path; 0 where there is none
};

using Handler = std::function<http::Response(const Call&)>;

/// Most bytes of a body, unless its route says otherwise.
inline constexpr std::size_t usual_body = std::size_t{1} << 20;

struct Route {
    std::string method;                       ///< `GET` answers HEAD as well
    std::string path;                         ///< `{id}` stands for a positive whole number
    std::vector<std::string_view> parameters; ///< of the query; any other is refused
    Handler handler;
    Access::Needs needs = Access::Needs::token;
    std::size_t max_body = usual_body;
};

/// Finds who answers a request, and refuses what nobody has to look at: 400 for a bad id or query,
/// 404, 405 with what is allowed, 413, and what `Access` refuses.
class Router {
public:
    explicit Router(const Access& access) : access_(access) {}

    void add(Route route);

    [[nodiscard]] http::Response answer(const http::Request& request) const;

    /// All but the handler's own answer: why the request is refused.
    [[nodiscard]] std::optional<http::Response> refuse(const http::Request& request) const;

    [[nodiscard]] const std::vector<Route>& routes() const { return routes_; }

private:
    struct Found {
        const Route* route = nullptr;
        std::string_view id; ///< as it stands in the path
    };
    [[nodiscard]] Found find(const http::Request& request, std::string& allowed) const;
    [[nodiscard]] std::optional<http::Response> check(const http::Request& request, Found& found,
                                                      std::int64_t& id) const;

    const Access& access_;
    std::vector<Route> routes_;
};

/// A positive whole number that fits an id; nothing for anything else.
[[nodiscard]] std::optional<std::int64_t> read_id(std::string_view text);

} // namespace sagabox::api
