#pragma once

#include "sagabox/json.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shop {

using Json = sagabox::client::Json;
using Pairs = std::vector<std::pair<std::string, std::string>>;

/// An HTTP request, as whatever server hosts the shop has read it.
struct Request {
    std::string method;
    std::string path; ///< percent-decoded, without the query
    Pairs query = {};
    Pairs headers = {};
    std::string body = {};

    /// First header of that name, whatever its case; empty where there is none.
    [[nodiscard]] std::string_view header(std::string_view name) const;
    [[nodiscard]] std::string_view query_value(std::string_view name) const;
};

struct Response {
    int status = 200;
    Pairs headers = {};
    std::string body = {};
    std::chrono::milliseconds delay{0}; ///< the host sends it this much later
};

[[nodiscard]] Response json(int status, const Json& body);

/// A problem document (RFC 9457); `detail` is one sentence that says what is wrong.
[[nodiscard]] Response problem(int status, std::string_view detail, Pairs headers = {});

/// 405 with the `Allow` header that it must have.
[[nodiscard]] Response method_not_allowed(std::string_view allowed);

/// `path` at its slashes: `/api/orders/7` gives `api`, `orders`, `7`.
[[nodiscard]] std::vector<std::string_view> segments(std::string_view path);

} // namespace shop
