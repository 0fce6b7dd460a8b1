#include "core/call.hpp"

#include "core/percent.hpp"
#include "core/placeholder.hpp"
#include "core/step_headers.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sagabox::core {
namespace {

bool is_scalar(const json::Value& value)
{
    return !value.is_null() && value.as_object() == nullptr && value.as_array() == nullptr;
}

Result<void> override_with(HeaderList& headers, const json::Object& given)
{
    for (const auto& [name, value] : given) {
        if (!is_scalar(value)) {
            return fail(Fault::Kind::bad_input,
                        fmt::format("header {}: its value must be a string, a number or a boolean",
                                    json::quote(name)));
        }
        if (auto set = headers.override_with(name, scalar_text(value)); !set) {
            return set;
        }
    }
    return {};
}

Result<void> append_parameter(std::string& query, std::string_view name, const json::Value& value)
{
    const std::string text = is_scalar(value) ? scalar_text(value) : std::string();
    if (!is_scalar(value) ||
        text.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) {
        return fail(Fault::Kind::bad_input,
                    fmt::format("query {}: a value must be a string without CR, LF and NUL, a "
                                "number or a boolean, or an array of them",
                                json::quote(name)));
    }
    if (!query.empty()) {
        query += '&';
    }
    query += percent_encode(name) + '=' + percent_encode(text);
    return {};
}

Result<std::string> encoded_query(const json::Object& given)
{
    std::string query;
    for (const auto& [name, value] : given) {
        const json::Array* several = value.as_array();
        const json::Array values = several != nullptr ? *several : json::Array{value};
        for (const json::Value& one : values) {
            if (auto appended = append_parameter(query, name, one); !appended) {
                return fail(appended.error());
            }
        }
    }
    return query;
}

void add_query(std::string& url, const std::string& query)
{
    if (query.empty()) {
        return;
    }
    const std::size_t fragment = std::min(url.find('#'), url.size());
    const std::size_t mark = url.find('?');
    std::string joint = "?";
    if (mark < fragment) {
        joint = mark + 1 == fragment || url[fragment - 1] == '&' ? "" : "&";
    }
    url.insert(fragment, joint + query);
}

bool carries_body(std::string_view method)
{
    return method != "GET" && method != "HEAD";
}

} // namespace

Result<Request> build_forward(const Event& event, const Destination& destination,
                              const Route& route)
{
    return build_forward(event, destination, route, envelope_for(event, destination.name));
}

Result<Request> build_forward(const Event& event, const Destination& destination,
                              const Route& route, const Envelope& envelope)
{
    if (!envelope.defect.empty()) {
        return fail(Fault::Kind::bad_input, envelope.defect);
    }

    Result<std::string> url =
        route.url.fill([&](std::string_view name) { return envelope.path_params.find(name); });
    if (!url) {
        return fail(Fault::Kind::bad_input, "pathParams: " + url.error().text());
    }
    const Result<std::string> query = encoded_query(envelope.query);
    if (!query) {
        return fail(query.error());
    }
    add_query(*url, *query);

    Request request;
    request.method = route.method;
    request.url = std::move(*url);
    request.timeout = route.timeout;
    request.follow_redirects = route.follow_redirects;
    request.sign = route.sign;
    request.tls = route.tls;

    HeaderList headers;
    if (carries_body(route.method)) {
        request.body = json::write(envelope.body);
        headers.put("Content-Type", "application/json");
    }
    put_own(headers, event, destination.name,
            idempotency_key(event, destination.name, Direction::forward), event);
    if (auto set = headers.override_with(route.headers); !set) {
        return fail(set.error());
    }
    if (auto set = override_with(headers, envelope.headers); !set) {
        return fail(set.error());
    }
    request.headers = std::move(headers).take();
    return request;
}

} // namespace sagabox::core
