#include "api/answer.hpp"

#include "base/log.hpp"

#include <algorithm>
#include <utility>

#include <strings.h>

namespace sagabox::api {

namespace {

std::string_view title_of(int status)
{
    switch (status) {
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 409:
        return "Conflict";
    case 413:
        return "Content Too Large";
    case 415:
        return "Unsupported Media Type";
    case 422:
        return "Unprocessable Content";
    case 503:
        return "Service Unavailable";
    default:
        return "Internal Server Error";
    }
}

json::Object problem_object(int status, std::string_view detail)
{
    json::Object body;
    body.set("type", "about:blank");
    body.set("title", title_of(status));
    body.set("status", json::Value::integer(status));
    body.set("detail", detail);
    return body;
}

http::Response problem_answer(int status, json::Object body, http::Headers headers)
{
    http::Response response;
    response.status = status;
    response.headers = std::move(headers);
    response.headers.emplace_back("Content-Type", "application/problem+json");
    response.body = json::write(std::move(body));
    return response;
}

bool has_header(const http::Response& response, const char* name)
{
    return std::any_of(
        response.headers.begin(), response.headers.end(),
        [name](const auto& header) { return ::strcasecmp(header.first.c_str(), name) == 0; });
}

} // namespace

http::Response json_answer(int status, const json::Value& body)
{
    http::Response response;
    response.status = status;
    response.headers.emplace_back("Content-Type", "application/json");
    response.body = json::write(body);
    return response;
}

http::Response problem(int status, std::string_view detail, http::Headers headers)
{
    return problem_answer(status, problem_object(status, detail), std::move(headers));
}

http::Response faults_problem(const std::vector<FieldFault>& faults, std::string_view several)
{
    json::Array errors;
    for (const FieldFault& fault : faults) {
        json::Object error;
        error.set("field", fault.field);
        error.set("detail", fault.text);
        errors.emplace_back(std::move(error));
    }
    json::Object body =
        problem_object(422, faults.size() == 1 ? std::string_view(faults.front().text) : several);
    body.set("errors", std::move(errors));
    return problem_answer(422, std::move(body), {});
}

http::Response fault_answer(const Fault& fault)
{
    // 42P01, 42703, 3F000: the tables are not there, or not yet of this version.
    const bool unready =
        fault.code() == "42P01" || fault.code() == "42703" || fault.code() == "3F000";
    if (unready || fault.retryable() || fault.kind() == Fault::Kind::stopped) {
        log::debug("api", "The database did not answer: {}", fault.text());
        return problem(503,
                       unready ? "The database's schema is not ready: run sagabox migrate."
                               : "The database cannot be reached just now; try again later.",
                       {{"Retry-After", "1"}});
    }
    log::error("api", "The database refused a statement: {}", fault.text());
    return problem(500, "The database refused; the log says why.");
}

void add_security_headers(http::Response& response)
{
    const auto set = [&response](const char* name, const char* value) {
        if (!has_header(response, name)) {
            response.headers.emplace_back(name, value);
        }
    };
    set("Content-Security-Policy",
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    set("X-Content-Type-Options", "nosniff");
    set("Cache-Control", "no-store");
    set("Referrer-Policy", "no-referrer");
    set("Cross-Origin-Resource-Policy", "same-origin");
}

} // namespace sagabox::api
