#include "api/login.hpp"

#include "api/answer.hpp"
#include "api/parameters.hpp"
#include "api/sessions.hpp"

#include <chrono>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace sagabox::api {

namespace {

constexpr std::size_t longest_token = 4'096;

http::Response enter(Access& access, const Call& call)
{
    Body body(call.request);
    const std::string token = body.text("token", Body::Presence::required, longest_token);
    if (auto wrong = body.problem()) {
        return *std::move(wrong);
    }
    if (!access.needs_token()) {
        return problem(409, "No token is set, so none is needed here.");
    }
    const std::optional<std::string> session = access.open_session(token);
    if (!session) {
        return problem(401, "That is not the token: it stands in the configuration as "
                            "http.auth.token.");
    }
    http::Response response;
    response.status = 204;
    response.headers.emplace_back(
        "Set-Cookie",
        fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict", session_cookie,
                    *session, std::chrono::seconds(Sessions::lifetime).count()));
    return response;
}

} // namespace

void add_login_route(Router& router, Access& access)
{
    router.add({.method = "POST",
                .path = "/api/session",
                .parameters = {},
                .handler = [&access](const Call& call) { return enter(access, call); },
                .needs = Access::Needs::nothing});
}

} // namespace sagabox::api
