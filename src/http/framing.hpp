#pragma once

#include "http/server.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace sagabox::http {

/// Header names are equal whatever their case.
[[nodiscard]] bool same_name(std::string_view a, std::string_view b);

/// How long a request's body will be, by its headers.
struct Framing {
    std::optional<std::uint64_t> length; ///< none: chunked, or no body
};

/// Nothing where two readers could disagree on where the body ends: that is how one request is
/// smuggled inside another.
[[nodiscard]] std::optional<Framing> read_framing(const Headers& headers);

} // namespace sagabox::http
