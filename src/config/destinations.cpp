#include "config/destinations.hpp"

#include "config/call_rules.hpp"
#include "config/reverts.hpp"
#include "config/values.hpp"
#include "json/decimal.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sagabox::config {

namespace {

std::optional<core::Condition> read_condition(const View& view, Report& report)
{
    using core::Operator;
    if (view.node() == nullptr) {
        return std::nullopt;
    }
    const Operator op = parse_operator(view.text("operator").value()).value();
    const auto value = view.text("value");
    const bool ordering =
        op == Operator::gt || op == Operator::gte || op == Operator::lt || op == Operator::lte;
    if (!view.has("jsonPath")) {
        report.add(view.node(), view.path_of("jsonPath"),
                   "missing: say what the condition looks at, for example \"$.riskScore\"");
    }
    if (!view.has("value") && op != Operator::exists) {
        report.add(view.node(), view.path_of("value"),
                   "missing: say what to compare with (only the operator exists needs none)");
    } else if (ordering && value && !view.find("value")->unresolved &&
               !json::canonical_number(*value)) {
        report.add(
            view.find("value"), view.path_of("value"),
            fmt::format("{} compares numbers, and this is none, so the condition would never "
                        "hold; give a number",
                        view.text("operator").value()));
    }
    const auto path = view.text("jsonPath");
    if (!path) {
        return std::nullopt;
    }
    return core::Condition{.path = json::Path::compile(*path).value(),
                           .op = op,
                           .value = value.value_or(""),
                           .previous_destination = view.text("previousDestination").value_or("")};
}

bool same_name(std::string_view a, std::string_view b)
{
    const auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    return std::ranges::equal(a, b, {}, lower, lower);
}

/// The route's own headers, and those of its destination that it does not give itself.
core::Headers merge_headers(core::Headers own, const core::Headers& inherited)
{
    for (const auto& header : inherited) {
        const bool given = std::ranges::any_of(
            own, [&](const auto& other) { return same_name(other.first, header.first); });
        if (!given) {
            own.push_back(header);
        }
    }
    return own;
}

/// A route; with `base`, what `view` does not say is taken from there.
std::optional<core::Route> read_route(const View& view, const View& base, Report& report)
{
    const auto source = [&](std::string_view key) -> const View& {
        return view.has(key) ? view : base;
    };
    core::Route route;
    route.method = read_method(source("method"));
    route.timeout = source("timeout").duration("timeout");
    route.follow_redirects = source("followRedirects").boolean("followRedirects");
    route.headers = merge_headers(read_headers(view), read_headers(base));
    route.retry_after = read_retry_after(source("retryAfter").section("retryAfter"), report);
    route.classify = read_classification(source("classify").section("classify"), report);
    route.sign = read_signing(source("sign").section("sign"), report);
    route.tls = read_tls(source("tls").section("tls"), report);
    route.redact = read_redaction(source("redact").section("redact"));
    route.revert = read_revert(source("revert").section("revert"), route, report);
    route.condition = read_condition(view.section("condition"), report);

    const auto url = view.text("url");
    if (!url) {
        return std::nullopt;
    }
    route.url = core::UrlTemplate::parse(*url).value();
    return route;
}

void read_routes(const View& view, const Node& list, core::Destination& out, Report& report)
{
    if (view.has("condition")) {
        report.add(
            view.find("condition"), view.path_of("condition"),
            "a destination with routes has no condition of its own; move it into each route");
    }
    for (std::size_t i = 0; i < list.items.size(); ++i) {
        const Node& item = list.items[i];
        const View route =
            view.element("routes", item, fmt::format("{}[{}]", view.path_of("routes"), i));
        if (route.node() == nullptr) {
            continue;
        }
        if (!route.has("url")) {
            report.add(&item, route.path_of("url"), "missing: say where the route goes");
        }
        if (!route.has("condition") && i + 1 < list.items.size()) {
            report.add(
                &item, route.path_of("condition"),
                "missing: a route without a condition is always taken, so those after it are "
                "never reached; add a condition, or move the route to the end");
        }
        if (auto built = read_route(route, view, report)) {
            out.routes.push_back(*std::move(built));
        }
    }
}

std::optional<core::Limits> read_limits(const View& view)
{
    if (view.node() == nullptr) {
        return std::nullopt;
    }
    core::Limits limits;
    if (const auto most = view.maybe_whole("maxConcurrent")) {
        limits.max_concurrent = static_cast<int>(*most);
    }
    limits.rate_per_second = view.maybe_real("ratePerSecond");
    if (const View breaker = view.section("breaker"); breaker.node() != nullptr) {
        limits.breaker = core::BreakerRule{.failures = static_cast<int>(breaker.whole("failures")),
                                           .open_for = breaker.duration("openFor")};
    }
    return limits;
}

} // namespace

std::optional<core::Destination> read_destination(const View& view, std::string name,
                                                  Report& report)
{
    core::Destination out{.name = std::move(name), .routes = {}, .limits = {}};
    out.limits = read_limits(view.section("limits"));
    const Node* list = view.find("routes");
    if (list != nullptr && view.has("url")) {
        report.add(view.find("url"), view.path_of("url"),
                   "a destination has either url or routes, not both; move the url into a route");
    } else if (list != nullptr) {
        read_routes(view, *list, out, report);
    } else if (!view.has("url")) {
        report.add(view.node(), view.path_of("url"),
                   "missing: a destination needs a url, or routes = [ … ]");
    } else if (auto route = read_route(view, view, report)) {
        out.routes.push_back(*std::move(route));
    }
    if (out.routes.empty()) {
        return std::nullopt;
    }
    return out;
}

} // namespace sagabox::config
