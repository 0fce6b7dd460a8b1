#pragma once

#include "sagabox/json.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sagabox::client {

/// What a destination is sent when a body alone does not say it.
struct Envelope {
    std::optional<Json> payload = std::nullopt; ///< the body; none: `{}`
    std::vector<std::pair<std::string, Json>> path_params =
        {}; ///< fill `{name}` in the route's URL
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::vector<std::pair<std::string, std::string>> query = {};
};

/// The payloads of an event: for each destination what it is sent.
///
///     Payloads().to("inventory", Json::object({{"orderId", id}}))
///               .to("billing", Json::object({{"amount", Json::number("100.10")}}))
///
/// A destination given twice gets the last one.
class Payloads {
public:
    /// `body` is sent as it is, also where it happens to look like an envelope.
    Payloads& to(std::string_view destination, const Json& body) &;
    Payloads&& to(std::string_view destination, const Json& body) &&;

    Payloads& envelope(std::string_view destination, const Envelope& envelope) &;
    Payloads&& envelope(std::string_view destination, const Envelope& envelope) &&;

    /// The JSON object that goes into `outbox_events.payloads`; `{}` for none.
    [[nodiscard]] std::string json() const;

private:
    void add(std::string_view destination, std::string_view value);

    std::string members_;
};

} // namespace sagabox::client
