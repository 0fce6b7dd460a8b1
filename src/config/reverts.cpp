#include "config/reverts.hpp"

#include "config/call_rules.hpp"
#include "config/checks.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace sagabox::config {

namespace {

void check_filled(const std::vector<std::string>& placeholders, const View& view,
                  std::string_view key, Report& report)
{
    std::vector<std::string_view> filled = {"idempotencyKey"};
    if (const Node* extract = view.find("extract")) {
        for (const auto& [name, member] : extract->members) {
            filled.push_back(name);
        }
    }
    for (const std::string& name : placeholders) {
        if (std::ranges::find(filled, name) == filled.end()) {
            report.add(view.find(key), view.path_of(key),
                       fmt::format("nothing fills the placeholder {{{0}}}; add {0} to extract, for "
                                   "example {0} = \"response:$.{0}\".{1}",
                                   name, suggestion(name, filled)));
        }
    }
}

std::optional<core::BodyTemplate> read_payload(const View& view, Report& report)
{
    const Node* node = view.find("payload");
    if (node == nullptr || node->unresolved) {
        return std::nullopt;
    }
    auto parsed =
        core::BodyTemplate::parse(node->kind == Node::Kind::text ? node->text : to_json(*node));
    if (!parsed) {
        return std::nullopt;
    }
    check_filled(parsed->placeholders(), view, "payload", report);
    return *std::move(parsed);
}

/// A value that is not kept can undo nothing.
void check_kept(const core::Extraction& extraction, const core::Redaction& redact, const View& view,
                Report& report)
{
    const bool from_request = extraction.source == core::Source::request;
    for (const json::Path& hidden : from_request ? redact.request : redact.response) {
        if (hidden.may_meet(extraction.path)) {
            report.add(
                view.find("extract"), join(view.path_of("extract"), extraction.name),
                fmt::format("{} may not be kept, since redact.{} has {}; take the value from "
                            "elsewhere, or narrow the redaction",
                            extraction.path.text(), from_request ? "request" : "response",
                            hidden.text()));
        }
    }
}

} // namespace

std::optional<core::Revert> read_revert(const View& view, const core::Route& route, Report& report)
{
    if (view.node() == nullptr) {
        return std::nullopt;
    }
    core::Revert revert;
    revert.method = read_method(view);
    revert.payload = read_payload(view, report);
    revert.headers = read_headers(view);
    revert.timeout = view.duration("timeout");
    revert.classify = read_classification(view.section("classify"), report);
    revert.retry_after = view.has("retryAfter")
                             ? read_retry_after(view.section("retryAfter"), report)
                             : route.retry_after;
    revert.sign = view.has("sign") ? read_signing(view.section("sign"), report) : route.sign;
    revert.tls = view.has("tls") ? read_tls(view.section("tls"), report) : route.tls;
    revert.redact = read_redaction(view.section("redact"));
    revert.follow_redirects = view.boolean("followRedirects");
    if (const Node* extract = view.find("extract")) {
        for (const auto& [name, member] : extract->members) {
            if (auto parsed = core::Extraction::parse(name, member.text);
                member.is_scalar() && parsed) {
                check_kept(*parsed, route.redact, view, report);
                revert.extract.push_back(*std::move(parsed));
            }
        }
    }

    if (!view.has("url")) {
        report.add(view.node(), view.path_of("url"), "missing: say where the revert goes");
        return std::nullopt;
    }
    const auto text = view.text("url");
    if (!text) {
        return std::nullopt;
    }
    revert.url = core::UrlTemplate::parse(*text).value();
    check_filled(revert.url.placeholders(), view, "url", report);
    return revert;
}

} // namespace sagabox::config
