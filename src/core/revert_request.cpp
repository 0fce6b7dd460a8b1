#include "core/call.hpp"

#include "core/placeholder.hpp"
#include "core/redact.hpp"
#include "core/step_headers.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sagabox::core {
namespace {

/// A revert's placeholders, each looked up before anything is filled, so that a fault can say where
/// its value was looked for.
class RevertValues {
public:
    RevertValues(const StepResult& done, const Revert& revert, std::string forward_key)
        : done_(done), revert_(revert), forward_key_(std::move(forward_key))
    {
    }

    /// Why the placeholder can't be filled in, or nothing.
    [[nodiscard]] std::optional<std::string> fault_of(const std::string& name, Place place) const
    {
        const Extraction* extraction = find(name);
        if (extraction == nullptr) {
            return name == "idempotencyKey"
                       ? std::nullopt
                       : std::optional(fmt::format("{}: no extract names it", name));
        }
        const std::string path = extraction->path.text();
        const json::Value* document = document_of(*extraction);
        if (document == nullptr) {
            return fmt::format("{}: {} can't be read, {} has no stored response", name, path,
                               done_.destination);
        }
        const std::string where =
            fmt::format("{}'s stored {}", done_.destination,
                        extraction->source == Source::request ? "request" : "response");
        if (extraction->source == Source::response && is_cut(*document)) {
            return fmt::format("{}: {} can't be read, {} was cut", name, path, where);
        }
        const json::Value* value = extraction->path.first(*document);
        if (value == nullptr) {
            return fmt::format("{}: {} matches nothing in {}", name, path, where);
        }
        if (is_redacted(*value)) {
            return fmt::format("{}: {} was redacted in {}", name, path, where);
        }
        if (const auto why = misfit(value, place)) {
            return fmt::format("{}: {} {} in {}", name, path, *why, where);
        }
        return std::nullopt;
    }

    [[nodiscard]] const json::Value* lookup(std::string_view name) const
    {
        const Extraction* extraction = find(name);
        if (extraction == nullptr) {
            return name == "idempotencyKey" ? &forward_key_ : nullptr;
        }
        const json::Value* document = document_of(*extraction);
        return document == nullptr ? nullptr : extraction->path.first(*document);
    }

private:
    [[nodiscard]] const Extraction* find(std::string_view name) const
    {
        const auto found =
            std::find_if(revert_.extract.begin(), revert_.extract.end(),
                         [&](const Extraction& extraction) { return extraction.name == name; });
        return found == revert_.extract.end() ? nullptr : &*found;
    }

    [[nodiscard]] const json::Value* document_of(const Extraction& extraction) const
    {
        if (extraction.source == Source::request) {
            return &done_.request;
        }
        return done_.response ? &*done_.response : nullptr;
    }

    const StepResult& done_;
    const Revert& revert_;
    json::Value forward_key_;
};

std::optional<std::string> fault_of(const RevertValues& values, const Revert& revert)
{
    for (const std::string& name : revert.url.placeholders()) {
        if (auto fault = values.fault_of(name, Place::url)) {
            return fault;
        }
    }
    if (revert.payload) {
        // Whether a place in the body is a string's inside, where objects don't fit, `fill` knows.
        for (const std::string& name : revert.payload->placeholders()) {
            if (auto fault = values.fault_of(name, Place::json_value)) {
                return fault;
            }
        }
    }
    return std::nullopt;
}

} // namespace

Result<Request> build_revert(const Event& event, const Event& sender, const StepResult& done,
                             const Revert& revert)
{
    const RevertValues values(done, revert,
                              step_key(event.uuid, done.run, done.destination, Direction::forward));
    if (auto fault = fault_of(values, revert)) {
        return fail(Fault::Kind::bad_input, std::move(*fault));
    }
    const auto lookup = [&](std::string_view name) {
        return values.lookup(name);
    };

    Result<std::string> url = revert.url.fill(lookup);
    if (!url) {
        return fail(url.error());
    }
    Request request;
    request.method = revert.method;
    request.url = std::move(*url);
    request.timeout = revert.timeout;
    request.follow_redirects = revert.follow_redirects;
    request.sign = revert.sign;
    request.tls = revert.tls;

    HeaderList headers;
    if (revert.payload) {
        const Result<json::Value> body = revert.payload->fill(lookup);
        if (!body) {
            return fail(body.error());
        }
        request.body = json::write(*body);
        headers.put("Content-Type", "application/json");
    }
    put_own(headers, sender, done.destination + ".revert",
            step_key(event.uuid, done.run, done.destination, Direction::revert), event);
    headers.put("X-Revert-Aggregate-Id", event.aggregate_id);
    headers.put("X-Revert-Event-Type", event.type);
    headers.put("X-Revert-Destination", done.destination);
    if (auto set = headers.override_with(revert.headers); !set) {
        return fail(set.error());
    }
    request.headers = std::move(headers).take();
    return request;
}

bool needs_response(const Revert& revert)
{
    const auto used_in = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    return std::any_of(revert.extract.begin(), revert.extract.end(), [&](const Extraction& e) {
        return e.source == Source::response &&
               (used_in(revert.url.placeholders(), e.name) ||
                (revert.payload && used_in(revert.payload->placeholders(), e.name)));
    });
}

} // namespace sagabox::core
