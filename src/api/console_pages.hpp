#pragma once

#include "http/server.hpp"

#include <optional>

namespace sagabox::api {

/// The console's answer to a request: a file of it or, at any address that may be one of its pages,
/// its index, which finds the page by itself. Nothing for paths of the API and of the probes.
///
/// The files hold no secrets and are served to everybody; what they show comes from the API, which
/// asks for the token. Files under a name with their content's hash may be kept for ever, the index
/// never, so that a new version is seen at once.
[[nodiscard]] std::optional<http::Response> console_page(const http::Request& request);

} // namespace sagabox::api
