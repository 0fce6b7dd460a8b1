#include "shop/message.hpp"

#include <strings.h>

namespace shop {
namespace {

std::string_view title(int status)
{
    switch (status) {
    case 400:
        return "Bad request";
    case 404:
        return "Not found";
    case 405:
        return "Method not allowed";
    case 409:
        return "Conflict";
    case 410:
        return "Gone";
    case 413:
        return "Too large";
    case 415:
        return "Unsupported media type";
    case 422:
        return "Not acceptable content";
    case 429:
        return "Too many requests";
    case 503:
        return "Unavailable";
    default:
        return status >= 500 ? "Server failure" : "Request refused";
    }
}

} // namespace

std::string_view Request::header(std::string_view name) const
{
    for (const auto& [key, value] : headers) {
        if (key.size() == name.size() && strncasecmp(key.data(), name.data(), key.size()) == 0) {
            return value;
        }
    }
    return {};
}

std::string_view Request::query_value(std::string_view name) const
{
    for (const auto& [key, value] : query) {
        if (key == name) {
            return value;
        }
    }
    return {};
}

Response json(int status, const Json& body)
{
    return {.status = status,
            .headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
            .body = body.text()};
}

Response problem(int status, std::string_view detail, Pairs headers)
{
    headers.emplace_back("Content-Type", "application/problem+json");
    headers.emplace_back("Cache-Control", "no-store");
    return {.status = status,
            .headers = std::move(headers),
            .body = Json::object({{"type", "about:blank"},
                                  {"title", title(status)},
                                  {"status", status},
                                  {"detail", detail}})
                        .text()};
}

Response method_not_allowed(std::string_view allowed)
{
    return problem(405, "This address takes only: " + std::string(allowed),
                   {{"Allow", std::string(allowed)}});
}

std::vector<std::string_view> segments(std::string_view path)
{
    std::vector<std::string_view> parts;
    while (path.starts_with('/')) {
        path.remove_prefix(1);
        const std::string_view part = path.substr(0, path.find('/'));
        path.remove_prefix(part.size());
        if (!part.empty() || !path.empty()) {
            parts.push_back(part);
        }
    }
    return parts;
}

} // namespace shop
