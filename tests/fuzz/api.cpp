#include "api/access.hpp"
#include "api/answer.hpp"
#include "api/parameters.hpp"
#include "api/router.hpp"
#include "http/framing.hpp"
#include "http/target.hpp"

#include "tests/fuzz/target.hpp"
#include "json/value.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sagabox::fuzz {

namespace {

std::optional<int> colour(std::string_view label)
{
    return label == "RED" ? std::optional(1) : std::nullopt;
}

/// As lists are: a label, a text, and a page.
http::Response list(const api::Call& call)
{
    api::Parameters query(call.request);
    const auto label = query.label("status", &colour, "RED");
    const std::string text = query.text("type");
    const auto before = query.before();
    const int limit = query.limit();
    if (auto wrong = query.problem()) {
        return *std::move(wrong);
    }
    require(limit >= 1 && limit <= 1'000, "a page has a bound");
    require(!before || *before > 0, "an id is positive");
    require(http::is_utf8(text) && text.find('\0') == std::string::npos,
            "a text of the query can be stored");
    require(label.has_value() == !call.request.query_value("status").empty(),
            "a label is known or refused");
    return api::json_answer(200, json::Object());
}

/// As actions are: an id in the path, and an object.
http::Response act(const api::Call& call)
{
    require(call.id > 0, "an id is positive");
    api::Body body(call.request);
    const std::string note = body.text("note", api::Body::Presence::required, 100);
    const std::string by = body.text("by", api::Body::Presence::optional, 10);
    const int limit = body.whole("limit", 1, 500, 7);
    if (auto wrong = body.problem()) {
        return *std::move(wrong);
    }
    require(!note.empty() && note.size() <= 100 && by.size() <= 10, "a field keeps its bounds");
    require(limit >= 1 && limit <= 500, "a number keeps its bounds");
    require(json::to_storable_text(note) == note, "a field can be stored");
    return api::json_answer(202, json::Object());
}

const api::Router& router()
{
    static const api::Access access("127.0.0.1", "token");
    static const api::Router all = [] {
        api::Router made(access);
        made.add({"GET", "/api/items", {"status", "type", "before", "limit"}, &list});
        made.add({"POST", "/api/items/{id}/act", {}, &act, api::Access::Needs::token, 1'000});
        made.add({"GET", "/healthz", {}, &list, api::Access::Needs::nothing});
        return made;
    }();
    return all;
}

std::string percent_encoded(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        out += c == '/' ? std::string("/") : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

void check_target(const http::Target& target)
{
    require(target.path.starts_with('/'), "a path begins with a slash");
    require(http::is_utf8(target.path), "a path is UTF-8");
    std::string written = percent_encoded(target.path);
    for (const auto& [name, value] : target.query) {
        written += written.find('?') == std::string::npos ? '?' : '&';
        written += percent_encoded(name) + "=" + percent_encoded(value);
    }
    const auto again = http::parse_target(written);
    require(again && again->path == target.path && again->query == target.query,
            "a target is read as it is written");
}

/// The header lines, up to an empty one; what is left of `rest` is the body.
http::Headers read_headers(std::string_view& rest)
{
    http::Headers headers;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (line.empty()) {
            break;
        }
        const std::size_t colon = std::min(line.find(':'), line.size());
        std::string_view value = line.substr(std::min(colon + 1, line.size()));
        value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
        headers.emplace_back(line.substr(0, colon), value);
    }
    return headers;
}

void check_framing(const http::Headers& headers)
{
    const auto framing = http::read_framing(headers);
    const auto named = [&](std::string_view name) {
        return std::count_if(headers.begin(), headers.end(), [&](const auto& header) {
            return http::same_name(header.first, name);
        });
    };
    const auto lengths = named("Content-Length");
    const auto encodings = named("Transfer-Encoding");
    require(lengths + encodings <= 1 || !framing, "nobody can read two ends of a body");
    require(!framing || framing->length.has_value() == (lengths == 1),
            "a length is what the header says");
}

/// RFC 9110, section 11.1: the scheme's case does not matter, the token's does.
bool has_token(const http::Request& request)
{
    const std::string_view value = request.header("Authorization");
    return value.size() > 6 && http::same_name(value.substr(0, 6), "Bearer") &&
           value.ends_with(" token");
}

} // namespace

void api(std::string_view input)
{
    const auto parts = pieces(input, 2);
    const std::size_t blank = std::min(parts[0].find(' '), parts[0].size());
    const auto target = http::parse_target(parts[0].substr(std::min(blank + 1, parts[0].size())));
    if (!target) {
        return;
    }
    check_target(*target);

    http::Request request;
    request.method = std::string(parts[0].substr(0, blank));
    request.path = target->path;
    request.query = target->query;
    std::string_view rest = parts[1];
    request.headers = read_headers(rest);
    check_framing(request.headers);
    request.body = std::string(rest);
    request.peer = "127.0.0.1";

    const http::Response answer = router().answer(request);
    constexpr std::array known = {200, 202, 400, 401, 403, 404, 405, 413, 415, 421, 422};
    require(std::find(known.begin(), known.end(), answer.status) != known.end(),
            "an answer has a known status");
    if (answer.status == 200 || answer.status == 202) {
        require(request.path == "/healthz" || has_token(request) ||
                    !api::session_of(request.header("Cookie")).empty(),
                "nobody gets in without the token");
    }
    const auto document = json::parse(answer.body);
    require(document && document->as_object() != nullptr, "an answer is a JSON object");
    for (const auto& [name, value] : answer.headers) {
        require(!breaks_lines(name) && !breaks_lines(value), "a header is one line");
    }
    require(router().answer(request).body == answer.body, "the same request has the same answer");
}

} // namespace sagabox::fuzz
