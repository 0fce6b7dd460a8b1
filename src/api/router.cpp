#include "api/router.hpp"

#include "api/answer.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace sagabox::api {

namespace {

constexpr std::string_view placeholder = "{id}";

/// Whether a path is the route's; `id` is what stands for its placeholder.
bool matches(std::string_view pattern, std::string_view path, std::string_view& id)
{
    const std::size_t at = pattern.find(placeholder);
    if (at == std::string_view::npos) {
        return pattern == path;
    }
    const std::string_view before = pattern.substr(0, at);
    const std::string_view after = pattern.substr(at + placeholder.size());
    if (path.size() <= before.size() + after.size() || !path.starts_with(before) ||
        !path.ends_with(after)) {
        return false;
    }
    id = path.substr(before.size(), path.size() - before.size() - after.size());
    return id.find('/') == std::string_view::npos;
}

std::optional<http::Response> check_query(const http::Request& request, const Route& route)
{
    std::set<std::string_view> seen;
    for (const auto& [name, value] : request.query) {
        const auto& known = route.parameters;
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            return problem(400, known.empty()
                                    ? std::string("This address takes no query.")
                                    : fmt::format("There is no such parameter in the query; known "
                                                  "here: {}.",
                                                  fmt::join(known, ", ")));
        }
        if (!seen.insert(name).second) {
            return problem(400, fmt::format("The parameter {} stands twice in the query.", name));
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<std::int64_t> read_id(std::string_view text)
{
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc{} || end != text.data() + text.size() || id <= 0) {
        return std::nullopt;
    }
    return id;
}

void Router::add(Route route)
{
    routes_.push_back(std::move(route));
}

Router::Found Router::find(const http::Request& request, std::string& allowed) const
{
    Found found;
    // A path without a placeholder wins: `/api/emails/stats` is no message.
    for (const bool exact : {true, false}) {
        for (const Route& route : routes_) {
            std::string_view id;
            if ((route.path.find(placeholder) == std::string::npos) != exact ||
                !matches(route.path, request.path, id)) {
                continue;
            }
            if (route.method == request.method) {
                found.route = &route;
                found.id = id;
                return found;
            }
            allowed += (allowed.empty() ? "" : ", ") + route.method +
                       (route.method == "GET" ? ", HEAD" : "");
        }
        if (!allowed.empty()) {
            break;
        }
    }
    return found;
}

std::optional<http::Response> Router::check(const http::Request& request, Found& found,
                                            std::int64_t& id) const
{
    std::string allowed;
    found = find(request, allowed);
    const Access::Needs needs = found.route != nullptr ? found.route->needs : Access::Needs::token;
    if (auto refused = access_.refuse(request, needs)) {
        return refused;
    }
    if (found.route == nullptr) {
        if (allowed.empty()) {
            return problem(404, "There is nothing at this address.");
        }
        return problem(405, "This address does not take that method.", {{"Allow", allowed}});
    }
    if (request.body.size() > found.route->max_body) {
        return problem(413, fmt::format("The body is too large; at most {} bytes are taken here.",
                                        found.route->max_body));
    }
    if (found.route->path.find(placeholder) != std::string::npos) {
        const std::optional<std::int64_t> number = read_id(found.id);
        if (!number) {
            return problem(400, "The id in the address must be a positive whole number.");
        }
        id = *number;
    }
    return check_query(request, *found.route);
}

std::optional<http::Response> Router::refuse(const http::Request& request) const
{
    Found found;
    std::int64_t id = 0;
    return check(request, found, id);
}

http::Response Router::answer(const http::Request& request) const
{
    Found found;
    std::int64_t id = 0;
    if (auto refused = check(request, found, id)) {
        return *std::move(refused);
    }
    return found.route->handler({request, id});
}

} // namespace sagabox::api
