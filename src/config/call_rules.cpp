#include "config/call_rules.hpp"

#include "base/base64.hpp"
#include "config/values.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace sagabox::config {

namespace {

std::vector<core::StatusRange> read_statuses(const Node* list)
{
    std::vector<core::StatusRange> out;
    if (list != nullptr) {
        for (const Node& item : list->items) {
            if (const auto range = parse_status(item.text)) {
                out.push_back(*range);
            }
        }
    }
    return out;
}

} // namespace

core::Headers read_headers(const View& call)
{
    core::Headers out;
    if (const Node* headers = call.find("headers")) {
        for (const auto& [name, value] : headers->members) {
            if (value.is_scalar()) {
                out.emplace_back(name, value.text);
            }
        }
    }
    return out;
}

core::RetryAfterRule read_retry_after(const View& rule, Report& report)
{
    core::RetryAfterRule out;
    out.header_name = rule.text("headerName").value();
    out.format = parse_retry_after_format(rule.text("format").value()).value();
    out.from_body = rule.boolean("fromBody");
    if (const auto path = rule.text("jsonPath")) {
        out.json_path = json::Path::compile(*path).value();
    } else if (out.from_body && !rule.has("jsonPath")) {
        report.add(rule.node(), rule.path_of("jsonPath"),
                   "missing: fromBody = true wants to know where in the body; add a jsonPath");
    }
    if (const auto seconds = rule.maybe_whole("fallbackSeconds")) {
        out.fallback = std::chrono::seconds(*seconds);
    }
    return out;
}

core::Classification read_classification(const View& rules, Report& report)
{
    const core::Classification out{.success = read_statuses(rules.find("success")),
                                   .retry = read_statuses(rules.find("retry")),
                                   .reject = read_statuses(rules.find("reject"))};
    const std::array lists = {&out.success, &out.retry, &out.reject};
    for (std::size_t a = 0; a < lists.size(); ++a) {
        for (std::size_t b = a + 1; b < lists.size(); ++b) {
            for (const core::StatusRange& range : *lists[a]) {
                const bool twice = std::ranges::any_of(*lists[b], [&](const auto& other) {
                    return other.first == range.first && other.last == range.last;
                });
                if (twice) {
                    report.add(rules.node(), rules.path(),
                               fmt::format("{} stands in two lists; a status has one meaning",
                                           range.first == range.last
                                               ? std::to_string(range.first)
                                               : std::to_string(range.first / 100) + "xx"));
                }
            }
        }
    }
    return out;
}

std::optional<core::Signing> read_signing(const View& rule, Report& report)
{
    if (rule.node() == nullptr) {
        return std::nullopt;
    }
    constexpr std::string_view prefix = "whsec_";
    constexpr std::size_t shortest = 24;
    constexpr std::size_t longest = 64;
    const std::string secret = rule.text("secret").value_or("");
    const bool whole = secret.starts_with(prefix);
    std::optional<std::string> key =
        whole ? decode_base64(std::string_view(secret).substr(prefix.size())) : std::nullopt;
    if (!key || key->size() < shortest || key->size() > longest) {
        if (!rule.has("secret") || rule.text("secret")) {
            report.add(rule.find("secret") != nullptr ? rule.find("secret") : rule.node(),
                       rule.path_of("secret"),
                       "needs whsec_ and the base64 of 24 to 64 random bytes, such as: echo "
                       "whsec_$(openssl rand -base64 32)");
        }
        return std::nullopt;
    }
    return core::Signing{*std::move(key)};
}

std::shared_ptr<const core::Tls> read_tls(const View& rule, Report& report)
{
    if (rule.node() == nullptr) {
        return nullptr;
    }
    if (rule.has("certificateFile") != rule.has("keyFile")) {
        const char* missing = rule.has("keyFile") ? "certificateFile" : "keyFile";
        report.add(rule.node(), rule.path_of(missing),
                   "missing: a certificate is shown with its key; give both, or neither");
    }
    return std::make_shared<const core::Tls>(
        core::Tls{.ca_file = rule.text("caFile").value_or(""),
                  .certificate_file = rule.text("certificateFile").value_or(""),
                  .key_file = rule.text("keyFile").value_or(""),
                  .key_password = rule.text("keyPassword").value_or("")});
}

core::Redaction read_redaction(const View& rule)
{
    const auto paths = [&rule](std::string_view name) {
        std::vector<json::Path> out;
        for (const std::string& text : rule.texts(name)) {
            if (auto path = json::Path::compile(text)) {
                out.push_back(*std::move(path));
            }
        }
        return out;
    };
    return {.request = paths("request"), .response = paths("response")};
}

core::Backoff read_backoff(const View& view, Report& report)
{
    core::Backoff out;
    out.kind =
        view.text("kind") == "linear" ? core::BackoffKind::linear : core::BackoffKind::exponential;
    out.base = view.duration("base");
    out.max = view.duration("max");
    out.jitter = view.real("jitter");
    if (out.base > out.max) {
        const char* key = view.has("max") ? "max" : "base";
        report.add(view.find(key), view.path_of(key),
                   "the base of the backoff is larger than its max; raise max or lower base");
    }
    return out;
}

std::string read_method(const View& call)
{
    return parse_method(call.text("method").value()).value();
}

} // namespace sagabox::config
